import {
  type CancellationToken,
  cancelled,
  cleanLine,
  Deferred,
  DisposableStore,
  type Host,
  HostError,
  isRunning,
  type JsonObject,
  type ServerSnapshot,
} from '../core/index.ts';
import { nodeClock } from '../node/nodePorts.ts';
import { createNodeHost, type LogLine } from './nodeHost.ts';
import type { TargetOptions } from './target.ts';
import { EXIT, plain, type Terminal } from './terminal.ts';

const DEFAULT_LIST_SECONDS = 30;

/** How a program makes its host: replaced in tests. */
export type HostFactory = (servers: JsonObject, onLog: (line: LogLine) => void) => Host;

export const realHost: HostFactory = (servers, onLog) => createNodeHost({ servers, onLog });

export interface OneServerContext {
  readonly terminal: Terminal;
  readonly token: CancellationToken;
  readonly createHost: HostFactory;
}

/** Starts the one server of a command line, hands it over with its tools, and ends it whatever happens. */
export async function withServer(
  options: TargetOptions,
  context: OneServerContext,
  work: (host: Host, server: ServerSnapshot) => Promise<number>,
): Promise<number> {
  const { terminal, token } = context;
  const host = context.createHost({ [options.server]: options.entry }, (line) => {
    if (options.verbose) terminal.err(`${cleanLine(line.message)}\n`);
  });
  try {
    const server = await startWithTools(host, options.server, options.timeout ?? DEFAULT_LIST_SECONDS, token);
    return await work(host, server);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    terminal.err(errorText(error));
    return error.code === 'CANCELLED' ? EXIT.interrupted : EXIT.notStarted;
  } finally {
    await host.close();
  }
}

export function errorText(error: HostError): string {
  const next = error.suggestion === undefined ? '' : ` ${error.suggestion}`;
  return `${plain(`${error.message}${next}`)}\n`;
}

async function startWithTools(
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
    // A server that ends now, or never lists its tools, must not be waited for.
    life.add(host.onDidChangeServer(({ what }) => what === 'state' && listed.resolve()));
    life.add(nodeClock.delay(seconds * 1_000, () => listed.resolve()));
    await Promise.race([listed.promise, interrupted.promise]);
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
