import {
  type CancellationToken,
  cancelled,
  cleanLine,
  Deferred,
  DisposableStore,
  type Host,
  HostError,
  isRunning,
  type Progress,
  type ServerSnapshot,
} from '../core/index.ts';
import { nodeClock } from '../node/nodePorts.ts';
import type { Dialog } from './dialog.ts';
import type { NodeHostOptions } from './nodeHost.ts';
import { authPromptInTurn, elicitorInTurn, PromptQueue } from './promptQueue.ts';
import type { TargetOptions } from './target.ts';
import { EXIT, plain, type Terminal } from './terminal.ts';
import { terminalApprovals } from './terminalApprovals.ts';
import { terminalElicitor, terminalSignIn } from './terminalInputs.ts';

const DEFAULT_LIST_SECONDS = 30;

export interface OneServerContext {
  readonly terminal: Terminal;
  readonly dialog: Dialog;
  readonly token: CancellationToken;
  /** Replaced in tests. */
  readonly createHost: (options: NodeHostOptions) => Host;
}

/** The lists that a command waits for. */
type Wanted = 'nothing' | 'tools' | 'everything';

type Work = (host: Host, server: ServerSnapshot) => Promise<number>;

/** Starts the server of a command line, runs the work, and always stops the server. */
export async function withServer(
  options: TargetOptions,
  context: OneServerContext,
  wanted: Wanted,
  work: Work,
): Promise<number> {
  const { terminal, dialog, token } = context;
  const turns = new PromptQueue();
  const { authPrompt, authBrowser } = terminalSignIn(dialog);
  const host = context.createHost({
    servers: { [options.server]: options.entry },
    storageFile: options.store,
    onNotice: (text) => terminal.err(`${cleanLine(text)}\n`),
    onLog: (line) => {
      if (options.verbose) terminal.err(`${cleanLine(line.message)}\n`);
    },
    elicitor: elicitorInTurn(terminalElicitor(dialog), turns),
    authPrompt: authPromptInTurn(authPrompt, turns),
    authBrowser,
  });
  const { approvals } = host;
  const { folder } = options;
  const asking = terminalApprovals({ approvals, dialog, turns, folder, token });
  try {
    const server = await startWith(wanted, host, options.server, options.timeout ?? DEFAULT_LIST_SECONDS, token);
    const code = await work(host, server);
    terminal.err(await refusedText(host, dialog));
    return code;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    terminal.err(errorText(error));
    return error.code === 'CANCELLED' ? EXIT.interrupted : EXIT.notStarted;
  } finally {
    asking.dispose();
    await host.close();
  }
}

const MAX_REFUSED = 20;

/** Denials during the command. Its own answer only says that something was denied. */
async function refusedText({ approvals }: Host, { isInteractive }: Dialog): Promise<string> {
  const decided = await approvals.history(MAX_REFUSED);
  const refused = decided.filter(({ outcome }) => outcome !== 'success').toReversed();
  if (refused.length === 0) return '';
  const lines = refused.map(({ detail = '' }) => `! ${cleanLine(detail)}\n`);
  const next = 'Allow what needs an approval with --allow-scope <pattern>, or run this in a terminal to be asked.\n';
  return [...lines, ...(isInteractive ? [] : [next])].join('');
}

/** Runs one request, and converts its failure to an exit code. `more` adds a suggestion. */
export async function requested(
  { terminal }: OneServerContext,
  request: () => Promise<number>,
  more: (error: HostError) => string = () => '',
): Promise<number> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    terminal.err(errorText(error) + more(error));
    return error.code === 'CANCELLED' ? EXIT.interrupted : EXIT.callFailed;
  }
}

export function errorText(error: HostError): string {
  const next = error.suggestion === undefined ? '' : ` ${error.suggestion}`;
  return `${plain(`${error.message}${next}`)}\n`;
}

async function startWith(
  wanted: Wanted,
  host: Host,
  id: string,
  seconds: number,
  token: CancellationToken,
): Promise<ServerSnapshot> {
  const life = new DisposableStore();
  const listed = new Deferred<void>();
  const interrupted = new Deferred<never>();
  try {
    life.add(token.onCancellationRequested(() => interrupted.reject(cancelled('The start'))));
    life.add(host.onDidChangeServer(({ what }) => what === 'tools' && listed.resolve()));
    await Promise.race([host.start(id), interrupted.promise]);
    if (wanted === 'nothing') return runningServer(host, id);
    // Do not wait for a server that ends now or never lists anything.
    const over = new Deferred<void>();
    life.add(host.onDidChangeServer(({ what }) => what === 'state' && over.resolve()));
    life.add(nodeClock.delay(seconds * 1_000, () => over.resolve()));
    // A failed list is reported separately.
    const refreshed = wanted === 'tools' ? undefined : host.refresh(id, token).catch(() => undefined);
    await Promise.race([refreshed ?? listed.promise, over.promise, interrupted.promise]);
    return runningServer(host, id);
  } finally {
    life.dispose();
  }
}

function runningServer(host: Host, id: string): ServerSnapshot {
  const server = host.server(id);
  if (server !== undefined && isRunning(server.state)) return server;
  const state = server?.state;
  if (state?.kind === 'failed' || state?.kind === 'restarting') throw state.error;
  throw new HostError('SERVER_EXITED', 'The server ended right after its start.', {
    layer: 'process',
    effect: 'none',
    suggestion: 'Look at what it says with --verbose.',
  });
}

/** Shows the progress of a request, one line each. */
export function progress(terminal: Terminal): (progress: Progress) => void {
  return ({ progress: done, total, message }) => {
    const count = total === undefined ? String(done) : `${done}/${total}`;
    terminal.err(`[${count}]${message === undefined ? '' : ` ${plain(message).replaceAll('\n', ' ')}`}\n`);
  };
}
