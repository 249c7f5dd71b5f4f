import { CancellationSource, messageOf } from '../core/index.ts';
import { call } from './call.ts';
import { TerminalDialog } from './dialog.ts';
import { parseHost, runHost } from './host.ts';
import { inspect } from './inspect.ts';
import { lineage, parseLineage } from './lineage.ts';
import { createNodeHost } from './nodeHost.ts';
import type { OneServerContext } from './oneServer.ts';
import { prompt } from './prompt.ts';
import { read } from './read.ts';
import { parseCall, parseInspect, parsePrompt, parseRead } from './target.ts';
import { EXIT, plain, type Terminal } from './terminal.ts';
import { USAGE, UsageError } from './usage.ts';
import { VERSION } from './version.ts';

const terminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

/** The first interruption ends everything in order, the second one at once. */
function onInterruption(first: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      process.once(signal, () => process.exit(EXIT.interrupted));
      first();
    });
}

async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  switch (name) {
    case 'inspect':
      return inspect(parseInspect(rest), oneServerContext());
    case 'call':
      return call(parseCall(rest), oneServerContext());
    case 'read':
      return read(parseRead(rest), oneServerContext());
    case 'prompt':
      return prompt(parsePrompt(rest), oneServerContext());
    case 'lineage':
      return lineage(parseLineage(rest), { terminal, createHost: createNodeHost });
    case 'host': {
      const stop = new AbortController();
      onInterruption(() => stop.abort());
      return runHost(parseHost(rest), { input: process.stdin, output: process.stdout }, stop.signal);
    }
    case '--version':
      terminal.out(`${VERSION}\n`);
      return EXIT.ok;
    case '--help':
    case '-h':
    case 'help':
      terminal.out(USAGE);
      return EXIT.ok;
    default:
      throw new UsageError(name === undefined ? 'Name a command.' : `There is no command "${name}".`);
  }
}

function oneServerContext(): OneServerContext {
  const cancellation = new CancellationSource();
  onInterruption(() => cancellation.cancel('interrupted'));
  const dialog = new TerminalDialog({ input: process.stdin, output: process.stderr });
  return { terminal, dialog, token: cancellation.token, createHost: createNodeHost };
}

/** Does what the words on the command line say; the process ends with its code when all is done. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  // A reader that goes away (`mcpl … | head`) is not a failure of this program.
  process.stdout.on('error', () => undefined);
  try {
    process.exitCode = await run(argv);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    terminal.err(plain(`${messageOf(error)}\n`) + (isUsage ? 'Run "mcpl --help" for how to use it.\n' : ''));
    process.exitCode = isUsage ? EXIT.usage : EXIT.callFailed;
  }
}
