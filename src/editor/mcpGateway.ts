import * as vscode from 'vscode';
import {
  type Disposable,
  DisposableStore,
  Emitter,
  type Host,
  type Ids,
  isRunning,
  type Logger,
  messageOf,
  type ServerSnapshot,
} from '../core/index.ts';
import type { ChatConnection } from './chatConnection.ts';
import { GATEWAY_PROVIDER } from './ids.ts';
import { offerVersion } from './offerVersion.ts';

/** Where the gateway answers for one server. */
export interface GatewayAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens the gateway when it is first needed. */
export interface GatewayAddresses {
  address(server: string): Promise<GatewayAddress>;
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
  #offered = '';
  #scheduled: NodeJS.Immediate | undefined;

  readonly onDidChangeMcpServerDefinitions: vscode.Event<void> = this.#changed.event;

  constructor(host: Host, addresses: GatewayAddresses, ids: Pick<Ids, 'sha256'>, chat: ChatConnection, log: Logger) {
    this.#host = host;
    this.#addresses = addresses;
    this.#ids = ids;
    this.#chat = chat;
    this.#log = log;
    this.#owned.add(host.onDidChangeServer(() => this.#schedule()));
    this.#owned.add(vscode.lm.registerMcpServerDefinitionProvider(GATEWAY_PROVIDER, this));
  }

  async provideMcpServerDefinitions(): Promise<vscode.McpHttpServerDefinition[]> {
    const definitions = await Promise.all(this.#running().map((server) => this.#define(server)));
    const offered = definitions.filter((definition) => definition !== undefined);
    this.#chat.offer(offered.map((definition) => definition.label));
    return offered;
  }

  dispose(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#owned.dispose();
  }

  async #define(server: ServerSnapshot): Promise<vscode.McpHttpServerDefinition | undefined> {
    try {
      const { url, headers } = await this.#addresses.address(server.id);
      const version = offerVersion(server.tools, this.#ids);
      return new vscode.McpHttpServerDefinition(labelOf(server.id), vscode.Uri.parse(url), { ...headers }, version);
    } catch (error) {
      this.#log.log('error', `Chat cannot reach the server "${server.id}": ${messageOf(error)}`);
      return undefined;
    }
  }

  #running(): readonly ServerSnapshot[] {
    return this.#host.servers().filter((server) => isRunning(server.state));
  }

  /** The editor asks anew at every event, so it hears only of what makes a difference to it. */
  #schedule(): void {
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      const offered = this.#running().map((server) => [server.id, offerVersion(server.tools, this.#ids)]);
      const text = JSON.stringify(offered);
      if (text === this.#offered) return;
      this.#offered = text;
      this.#changed.fire();
    });
  }
}

/** Not the bare id: of two servers with one label the editor switches one off. */
export function labelOf(server: string): string {
  return `${server} (MCPL)`;
}
