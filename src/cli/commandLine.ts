import {
  annotationTexts,
  blockText,
  CancellationSource,
  type Host,
  isRunning,
  type JsonObject,
  keptState,
  type KeptState,
  messageOf,
  type PromptResult,
  type ResourceContents,
  type ResultView,
  type ServerSnapshot,
} from '../core/index.ts';
import { mcplView } from './control/controlViews.ts';
import { parseHost, runHost } from './controlHost.ts';
import { TerminalDialog } from './dialog.ts';
import { keptText, lineage, parseLineage } from './lineageCommand.ts';
import { createNodeHost } from './nodeHost.ts';
import { type OneServerContext, progress, requested, withServer } from './oneServer.ts';
import { serverText } from './serverText.ts';
import {
  type CallCommand,
  type InspectCommand,
  parseCall,
  parseInspect,
  parsePrompt,
  parseRead,
  type PromptCommand,
  type ReadCommand,
  split,
} from './target.ts';
import { EXIT, plain, safeJson, type Terminal, wholeLines } from './terminal.ts';
import { toolArguments } from './typedArguments.ts';
import { USAGE, UsageError } from './usage.ts';
import { VERSION } from './version.ts';

/** `mcpl inspect`: shows a server's information. */
function inspect(command: InspectCommand, context: OneServerContext): Promise<number> {
  return withServer(command, context, 'everything', (_host, server) => {
    const text = command.json ? `${safeJson(serverJson(server), 2)}\n` : serverText(server);
    context.terminal.out(text);
    return Promise.resolve(EXIT.ok);
  });
}

function serverJson({ state, capabilities, tools, resources, templates, prompts, mcpl }: ServerSnapshot): JsonObject {
  if (!isRunning(state)) return {};
  const { name, title, version, instructions } = state.info;
  return {
    serverInfo: { name, title, version },
    protocolVersion: state.protocolVersion,
    connection: { ...state.connection },
    instructions,
    capabilities,
    mcpl: mcpl === undefined ? undefined : mcplView(mcpl),
    tools: tools.map(({ tool }) => tool.raw),
    resources: resources.map(({ raw }) => raw),
    resourceTemplates: templates.map(({ raw }) => raw),
    prompts: prompts.map(({ raw }) => raw),
  };
}

/** `mcpl call`: calls one tool once. */
function call(command: CallCommand, context: OneServerContext): Promise<number> {
  const { terminal, token } = context;
  return withServer(command, context, 'tools', async (host, server) => {
    const tool = server.tools.find((each) => each.tool.name === command.tool)?.tool;
    const args = toolArguments(command.args, command.pairs, tool?.inputSchema ?? {});
    const names = (): string => plain(server.tools.map((each) => each.tool.name).join(', '));
    const request = { server: server.id, tool: command.tool, args, route: 'cli' } as const;
    return requested(
      context,
      async () => {
        const onProgress = command.json ? undefined : progress(terminal);
        const result = await host.callTool(request, { token, onProgress });
        const kept = keptState(result);
        const notes = annotationTexts(result, 'user');
        for (const note of notes) terminal.err(`! ${plain(note)}\n`);
        terminal.out(command.json ? `${safeJson(result.raw, 2)}\n` : resultText(result));
        if (kept !== undefined && !isNoted(kept, notes))
          terminal.err(`${await keptLine(host, kept, command.store !== undefined)}\n`);
        return result.isError ? EXIT.toolFailed : EXIT.ok;
      },
      (error) => (error.code === 'UNKNOWN_TOOL' ? `It has: ${names()}\n` : ''),
    );
  });
}

/** The notes on the result include what went wrong. */
function isNoted(kept: KeptState, notes: readonly string[]): boolean {
  return (kept.kind === 'broken' || kept.kind === 'lost') && notes.some((note) => note.includes(kept.problem));
}

async function keptLine({ lineages }: Host, kept: KeptState, isStored: boolean): Promise<string> {
  const detail = kept.kind === 'lost' ? undefined : await lineages.checkpoint(kept.place).catch(() => undefined);
  return keptText(kept, detail?.featureSet, isStored);
}

/** The text for the model, and content for the user only. */
function resultText(result: ResultView): string {
  const forUser = result.blocks.flatMap((block) =>
    block.type === 'text' && block.audience === 'user' ? [block.text] : [],
  );
  return wholeLines([...forUser, result.modelText].filter((part) => part !== '').join('\n'));
}

/** `mcpl read`: reads a resource. */
function read(command: ReadCommand, context: OneServerContext): Promise<number> {
  const { terminal, token } = context;
  return withServer(command, context, 'nothing', (host, server) =>
    requested(context, async () => {
      const options = command.json ? { token } : { token, onProgress: progress(terminal) };
      const { contents, raw } = await host.readResource(server.id, command.uri, options);
      terminal.out(command.json ? `${safeJson(raw, 2)}\n` : contents.map(contentsText).join(''));
      return EXIT.ok;
    }),
  );
}

/** Binary content is only printed with `--json`. */
function contentsText(contents: ResourceContents): string {
  if (contents.kind === 'text') return wholeLines(contents.text);
  const { uri, mimeType = 'application/octet-stream', blob } = contents;
  return wholeLines(`[${uri}: ${mimeType}, ${Buffer.byteLength(blob, 'base64')} bytes]`);
}

/** `mcpl prompt`: gets the messages of one prompt. */
function prompt(command: PromptCommand, context: OneServerContext): Promise<number> {
  const { terminal, token } = context;
  const args = promptArguments(command);
  return withServer(command, context, 'nothing', (host, server) =>
    requested(context, async () => {
      const options = command.json ? { token } : { token, onProgress: progress(terminal) };
      const result = await host.getPrompt(server.id, command.name, args, options);
      terminal.out(command.json ? `${safeJson(result.raw, 2)}\n` : promptText(result));
      return EXIT.ok;
    }),
  );
}

/** Prompt arguments must be texts. */
function promptArguments({ args, pairs }: PromptCommand): Readonly<Record<string, string>> {
  const members = Object.entries(toolArguments(args, [], {})).map(([name, value]): [string, string] => {
    if (typeof value !== 'string') throw new UsageError(`The argument "${name}" of the prompt must be a text.`);
    return [name, value];
  });
  const typed = pairs.map((pair) => split(pair, '=', 'an argument of the prompt'));
  return Object.fromEntries([...members, ...typed]);
}

function promptText({ description, messages }: PromptResult): string {
  const about = description === undefined || description === '' ? [] : [wholeLines(description)];
  const said = messages.map(({ role, content }) => wholeLines(`[${role}]\n${blockText(content)}`));
  return [...about, ...said].join('\n');
}

const terminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

/** The first interruption shuts down in order, the second exits at once. */
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

/** Runs the command line. The process ends with its exit code when all work is done. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  // A closed pipe (`mcpl … | head`) is no failure.
  process.stdout.on('error', () => undefined);
  try {
    process.exitCode = await run(argv);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    terminal.err(plain(`${messageOf(error)}\n`) + (isUsage ? 'Run "mcpl --help" for how to use it.\n' : ''));
    process.exitCode = isUsage ? EXIT.usage : EXIT.callFailed;
  }
}
