import { fileURLToPath } from 'node:url';
import { type HostError, type Json, type JsonObject } from '../../src/core/index.ts';
import { Peer } from '../../src/core/rpc/peer.ts';
import { nodeClock } from '../../src/node/nodePorts.ts';
import { listProcesses } from '../../src/node/process/processList.ts';
import { openStdio, type StdioOptions, type StdioTransport } from '../../src/node/process/stdio.ts';

export const SERVER = fileURLToPath(new URL('fixtures/stdio/server.mjs', import.meta.url));

/** A real server process with a peer, and its output. */
export class StdioBench {
  readonly stderr: string[] = [];
  readonly noise: string[] = [];
  readonly logged: string[] = [];
  readonly notified: string[] = [];
  readonly dropped: string[] = [];
  readonly transport: StdioTransport;
  readonly peer: Peer;
  /** Why the connection ended. `undefined` if it was closed on purpose. */
  readonly closed: Promise<HostError | undefined>;

  private constructor(transport: StdioTransport, onNotification: (method: string, params: JsonObject) => void) {
    this.transport = transport;
    this.closed = new Promise((resolve) => transport.onClose(({ error }) => resolve(error)));
    transport.onDropped?.(({ error }) => this.dropped.push(error.code));
    this.peer = new Peer(
      transport,
      {
        request: (_method, params) => params,
        notification: (method, params) => {
          this.notified.push(`${method} ${JSON.stringify(params)}`);
          onNotification(method, params);
        },
      },
      { clock: nodeClock, log: (level, message) => this.logged.push(`${level}: ${message}`) },
    );
  }

  static async open(
    args: readonly string[] = [],
    options: Partial<StdioOptions> & { readonly onNotification?: () => void } = {},
  ): Promise<StdioBench> {
    const early: { bench?: StdioBench } = {};
    const heard: string[] = [];
    const transport = await openStdio({
      command: process.execPath,
      args: [SERVER, ...args],
      cwd: undefined,
      env: process.env,
      onStderr: (line) => (early.bench?.stderr ?? heard).push(line),
      onNoise: (line) => (early.bench?.noise ?? heard).push(line),
      shutdown: { stdinMs: 2_000, termMs: 2_000 },
      ...options,
    });
    early.bench = new StdioBench(transport, options.onNotification ?? (() => undefined));
    early.bench.stderr.push(...heard);
    return early.bench;
  }

  ask(method: string, params: JsonObject = {}, timeoutMs = 10_000): Promise<Json> {
    return this.peer.request(method, params, { timeoutMs });
  }

  async close(): Promise<void> {
    this.peer.dispose();
    await this.transport.close();
  }
}

export async function isRunning(pid: number): Promise<boolean> {
  return (await listProcesses()).some((entry) => entry.pid === pid && !entry.isZombie);
}
