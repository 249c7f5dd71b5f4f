import type {
  ConnectContext,
  Connection,
  Connector,
  Logger,
  OpenTransport,
  RemoteConnection,
  SecretList,
  StdioConnection,
} from '../core/index.ts';
import { asyncLazy, cancelled } from '../core/index.ts';
import type { AuthServiceOptions } from './auth/authService.ts';
import { memorySecrets } from './auth/memorySecrets.ts';
import { childEnvironment } from './process/childEnvironment.ts';
import type { HttpAgents } from './http/httpAgents.ts';
import type { Remote } from './remoteConnector.ts';

export interface ConnectorOptions {
  /** The demo server's script: `dist/demo.js` in the product. */
  readonly demoScript: string;
  /** Where child processes are recorded, so that a later host can end those of a killed one. */
  readonly records?: { readonly folder: string; readonly log?: Logger } | undefined;
  /** Sign-in for servers with a URL. Default: the user cannot sign in. */
  readonly signIn?: AuthServiceOptions | undefined;
  /** How HTTP connections are made. Default: with proxies and certificates of the environment. */
  readonly agents?: HttpAgents | undefined;
}

/** The demo server's command in settings, so that they contain no path of one machine. */
export const DEMO_COMMAND = 'mcpl-demo';

/** Opens connections with Node: child processes and HTTP. */
export class NodeConnector implements Connector {
  readonly #options: ConnectorOptions;
  readonly #remote = asyncLazy(
    () => import('./remoteConnector.ts'),
    ({ Remote }) => {
      const signIn = { ...(this.#options.signIn ?? nobodySignsIn()), held: this.#secrets };
      return new Remote({ signIn, agents: this.#options.agents });
    },
  );
  #secrets: SecretList | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  keepSecrets(secrets: SecretList): void {
    this.#secrets = secrets;
  }

  async open(connection: Connection, context: ConnectContext): Promise<OpenTransport> {
    const opened =
      connection.kind === 'stdio' ? await this.#spawn(connection, context) : await this.#connect(connection, context);
    if (!context.token.isCancellationRequested) return opened;
    await opened.transport.close();
    throw cancelled('The start');
  }

  async #spawn(connection: StdioConnection, { serverId, log, redact }: ConnectContext): Promise<OpenTransport> {
    const { inheritedSecrets, openStdio, SpawnRecords } = await import('./process/lazy.ts');
    const { command, args, env } = this.#resolve(connection);
    const { records } = this.#options;
    // Servers inherit these and may reveal them.
    this.#secrets?.add(inheritedSecrets(process.env), serverId);
    const transport = await openStdio({
      framing: connection.framing,
      command,
      args,
      cwd: connection.cwd,
      env: childEnvironment(process.env, env),
      records: records === undefined ? undefined : new SpawnRecords(records.folder, records.log),
      redact,
      onStderr: (line) => log.log('info', line),
      onNoise: (line) => log.log('warn', `Not a message on stdout: ${line}`),
    });
    return { transport, pid: transport.pid };
  }

  /** The demo runs on this process's runtime and needs no installation. */
  #resolve(connection: StdioConnection): Pick<StdioConnection, 'command' | 'args' | 'env'> {
    if (connection.command !== DEMO_COMMAND) return connection;
    return {
      command: process.execPath,
      args: [this.#options.demoScript, ...connection.args],
      env: { ...connection.env, ELECTRON_RUN_AS_NODE: '1' },
    };
  }

  async #connect(connection: RemoteConnection, context: ConnectContext): Promise<OpenTransport> {
    return (await this.remote()).open(connection, context);
  }

  /** Connects to servers with a URL; loaded with the first of them. */
  remote(): Promise<Remote> {
    return this.#remote.get();
  }
}

/** Flows without the user still work if the settings have credentials. */
function nobodySignsIn(): AuthServiceOptions {
  return {
    secrets: memorySecrets(),
    prompt: { consent: () => Promise.resolve(false) },
    browser: { open: () => Promise.resolve(false) },
  };
}
