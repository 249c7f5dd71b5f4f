import type {
  ConnectContext,
  Connection,
  Connector,
  OpenTransport,
  RemoteConnection,
  StdioConnection,
} from '../core/index.ts';
import { cancelled } from '../core/index.ts';
import type { SpawnRecords } from './spawnRecords.ts';
import { openStdio } from './stdio.ts';

export interface ConnectorOptions {
  /** The script of the demo server: `dist/demo.js` in the product. */
  readonly demoScript: string;
  /** Where children are written down, so that a later host can end what a killed one left. */
  readonly records?: SpawnRecords | undefined;
}

/** The command under which settings name the demo server, so that no path of one machine gets into them. */
export const DEMO_COMMAND = 'mcpl-demo';

/** Opens connections with what Node has: child processes and HTTP. */
export class NodeConnector implements Connector {
  readonly #options: ConnectorOptions;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  async open(connection: Connection, context: ConnectContext): Promise<OpenTransport> {
    const opened =
      connection.kind === 'stdio' ? await this.#spawn(connection, context) : await this.#connect(connection, context);
    if (!context.token.isCancellationRequested) return opened;
    await opened.transport.close();
    throw cancelled('The start');
  }

  async #spawn(connection: StdioConnection, { log, redact }: ConnectContext): Promise<OpenTransport> {
    const { command, args, env } = this.#resolve(connection);
    const transport = await openStdio({
      command,
      args,
      cwd: connection.cwd,
      env: { ...process.env, ...env },
      records: this.#options.records,
      redact,
      onStderr: (line) => log.log('info', line),
      onNoise: (line) => log.log('warn', `Not a message on stdout: ${line}`),
    });
    return { transport, pid: transport.pid };
  }

  /** The demo runs on the runtime of this very process: nothing needs to be installed for it. */
  #resolve(connection: StdioConnection): Pick<StdioConnection, 'command' | 'args' | 'env'> {
    if (connection.command !== DEMO_COMMAND) return connection;
    return {
      command: process.execPath,
      args: [this.#options.demoScript, ...connection.args],
      env: { ...connection.env, ELECTRON_RUN_AS_NODE: '1' },
    };
  }

  async #connect(connection: RemoteConnection, context: ConnectContext): Promise<OpenTransport> {
    // Loaded with the first remote server: most hosts have none.
    const { openStreamableHttp } = await import('./streamableHttp.ts');
    return openStreamableHttp(connection, context);
  }
}
