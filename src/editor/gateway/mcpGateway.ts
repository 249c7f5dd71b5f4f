import * as vscode from 'vscode';
import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Host,
  type Ids,
  isRunning,
  KeyedQueue,
  type Logger,
  messageOf,
  type ServerSnapshot,
} from '../../core/index.ts';
import type { ChatConnection } from '../chat/chatConnection.ts';
import { narrowestTransport, type TransportSetting } from '../settings/transportSetting.ts';
import { GATEWAY_PROVIDER, SETTINGS } from '../shared/ids.ts';
import { offerVersion } from './offerVersion.ts';

/** Where the gateway answers for one server. */
export interface GatewayAddress {
  /** Over a socket it is what is asked for there. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the socket, or the name of the pipe; absent for a port. */
  readonly socket: string | undefined;
}

/** Opens the gateway when it is first needed. */
export interface GatewayAddresses {
  address(server: string): Promise<GatewayAddress>;
  /** Where it is from now on. */
  use(transport: TransportSetting): void;
}

/**
 * Offers the running servers to the editor's own MCP client. Address and token are new in every activation: the editor
 * stores what it is given in clear text, and an old copy must be worthless.
 */
export class McpGateway implements vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition>, Disposable {
  readonly #host: Host;
  readonly #addresses: GatewayAddresses;
  readonly #ids: Pick<Ids, 'sha256'>;
  readonly #chat: ChatConnection;
  readonly #log: Logger;
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #versions = new WeakMap<ServerSnapshot, Promise<string>>();
  /** Looks at all servers, one after the other: what is found last is what there is. */
  readonly #looks = new KeyedQueue();
  /** By server: those that are offered, and as what. */
  readonly #offers = new Map<string, string>();
  #transport: TransportSetting = gatewayTransport();
  #offered = '';
  #scheduled: NodeJS.Immediate | undefined;

  readonly onDidChangeMcpServerDefinitions: vscode.Event<void> = this.#changed.event;

  constructor(host: Host, addresses: GatewayAddresses, ids: Pick<Ids, 'sha256'>, chat: ChatConnection, log: Logger) {
    this.#host = host;
    this.#addresses = addresses;
    this.#ids = ids;
    this.#chat = chat;
    this.#log = log;
    addresses.use(this.#transport);
    this.#owned.add(host.onDidChangeServer(() => this.#schedule()));
    this.#owned.add(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SETTINGS.gatewayTransport)) this.#move();
      }),
    );
    this.#owned.add(vscode.lm.registerMcpServerDefinitionProvider(GATEWAY_PROVIDER, this));
  }

  async provideMcpServerDefinitions(): Promise<vscode.McpHttpServerDefinition[]> {
    const offers = await this.#offer();
    const definitions = await Promise.all(offers.map(([server, version]) => this.#define(server, version)));
    const offered = definitions.filter((definition) => definition !== undefined);
    this.#chat.offer(offered.map(({ label, version = '' }) => ({ label, version })));
    return offered;
  }

  dispose(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#owned.dispose();
  }

  #move(): void {
    const transport = gatewayTransport();
    if (transport === this.#transport) return;
    this.#transport = transport;
    this.#addresses.use(transport);
    this.#schedule();
  }

  async #define(server: string, version: string): Promise<vscode.McpHttpServerDefinition | undefined> {
    try {
      const address = await this.#addresses.address(server);
      return new vscode.McpHttpServerDefinition(labelOf(server), uriOf(address), { ...address.headers }, version);
    } catch (error) {
      this.#log.log('error', `Chat cannot reach the server "${server}": ${messageOf(error)}`);
      return undefined;
    }
  }

  /**
   * The servers to be offered, and as what. One that comes back by itself stays as it was: the editor would otherwise
   * forget it, and its tools, in the middle of a turn.
   */
  #offer(): Promise<readonly (readonly [server: string, version: string])[]> {
    return this.#looks.run('', async () => {
      const servers = this.#transport === 'off' ? [] : this.#host.servers();
      const offers: (readonly [string, string])[] = [];
      for (const server of servers) {
        const { kind } = server.state;
        const before = kind === 'restarting' || kind === 'starting' ? this.#offers.get(server.id) : undefined;
        const version = isRunning(server.state) ? await this.#version(server) : before;
        if (version !== undefined) offers.push([server.id, version]);
      }
      this.#offers.clear();
      for (const [server, version] of offers) this.#offers.set(server, version);
      return offers;
    });
  }

  #version(server: ServerSnapshot): string | Promise<string> {
    // After a restart its lists are read anew: most likely they are what they were.
    const before = server.listing.kind === 'unread' ? this.#offers.get(server.id) : undefined;
    if (before !== undefined) return before;
    const version = this.#versions.get(server) ?? offerVersion(server, this.#ids);
    this.#versions.set(server, version);
    return version;
  }

  /** The editor asks anew at every event, so it hears only of what makes a difference to it. */
  #schedule(): void {
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      this.#tell().catch((error: unknown) => this.#log.log('error', messageOf(error)));
    });
  }

  async #tell(): Promise<void> {
    const text = JSON.stringify([this.#transport, ...(await this.#offer())]);
    if (text === this.#offered) return;
    this.#offered = text;
    this.#changed.fire();
  }
}

/** As the editor's client takes sockets: the path of the file, or the name of a pipe, and what is asked for there. */
function uriOf({ url, socket }: GatewayAddress): vscode.Uri {
  if (socket === undefined) return vscode.Uri.parse(url);
  const scheme = socket.startsWith('/') ? 'unix' : 'pipe';
  return vscode.Uri.from({ scheme, path: socket, fragment: new URL(url).pathname });
}

/** Not the bare id: of two servers with one label the editor switches one off. */
export function labelOf(server: string): string {
  return `${server} (MCPL)`;
}

/** How chats reach servers now. */
function gatewayTransport(): TransportSetting {
  const here = vscode.workspace.getConfiguration().inspect(SETTINGS.gatewayTransport);
  return narrowestTransport(here?.globalValue, here?.workspaceValue, here?.workspaceFolderValue);
}
