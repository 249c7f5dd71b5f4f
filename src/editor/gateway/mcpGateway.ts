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

/** The gateway's address for one server. */
export interface GatewayAddress {
  /** For a socket, the URL of requests on it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the socket or the name of the pipe. Absent for a port. */
  readonly socket: string | undefined;
}

/** Opens the gateway on first use. */
interface GatewayAddresses {
  address(server: string): Promise<GatewayAddress>;
  /** Changes the transport. */
  use(transport: TransportSetting): void;
}

/**
 * Offers running servers to the editor's MCP client. Address and token are new in every activation: the editor stores
 * them in clear text, so old copies must be worthless.
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
  /** Serializes the checks, so that the last one wins. */
  readonly #looks = new KeyedQueue();
  /** The offered version by server. */
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
   * The servers to offer, with their versions. A restarting server keeps its version, because the editor would
   * otherwise drop its tools in the middle of a turn.
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
    // After a restart its lists are read again, usually without changes.
    const before = server.listing.kind === 'unread' ? this.#offers.get(server.id) : undefined;
    if (before !== undefined) return before;
    const version = this.#versions.get(server) ?? offerVersion(server, this.#ids);
    this.#versions.set(server, version);
    return version;
  }

  /** The editor reads everything again after each event, so fire only for real changes. */
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

/** The editor's format for sockets: the path or pipe name, with the URL path as fragment. */
function uriOf({ url, socket }: GatewayAddress): vscode.Uri {
  if (socket === undefined) return vscode.Uri.parse(url);
  const scheme = socket.startsWith('/') ? 'unix' : 'pipe';
  return vscode.Uri.from({ scheme, path: socket, fragment: new URL(url).pathname });
}

/** Not the bare id: the editor disables one of two servers with the same label. */
function labelOf(server: string): string {
  return `${server} (MCPL)`;
}

/** The effective transport of the gateway. */
function gatewayTransport(): TransportSetting {
  const here = vscode.workspace.getConfiguration().inspect(SETTINGS.gatewayTransport);
  return narrowestTransport(here?.globalValue, here?.workspaceValue, here?.workspaceFolderValue);
}
