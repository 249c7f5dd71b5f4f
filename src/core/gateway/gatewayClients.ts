import { type Disposable, toDisposable } from '../base/disposable.ts';
import type { CallLocation, ClientLocation } from './clientRequests.ts';

/** A client connected to one server's endpoint. */
export interface GatewayClient {
  readonly server: string;
  readonly showsForms: boolean;
  /** Its open tool calls, oldest first. */
  readonly calls: Iterable<CallLocation>;
  /** Where it can be asked for sampling. Absent without models or a stream. */
  readonly models: ClientLocation | undefined;
}

/** All connected clients, which may offer a better place to ask than a notification. */
export class GatewayClients {
  readonly #clients = new Set<GatewayClient>();

  add(client: GatewayClient): Disposable {
    this.#clients.add(client);
    return toDisposable(() => this.#clients.delete(client));
  }

  /**
   * The chat whose call the server is working on. MCP does not link a server's request to a call. With calls from
   * several chats, or from none, the right chat is unknown.
   */
  chatOf(server: string): ClientLocation | undefined {
    const chats = new Set<string | undefined>();
    let newest: ClientLocation | undefined;
    for (const { calls, showsForms } of this.#of(server))
      for (const call of calls) {
        chats.add(call.conversation);
        newest = showsForms ? call : newest;
      }
    return chats.size === 1 && !chats.has(undefined) ? newest : undefined;
  }

  /** A client of this server that offers models. */
  modelsOf(server: string): ClientLocation | undefined {
    return this.#of(server).find(({ models }) => models !== undefined)?.models;
  }

  #of(server: string): readonly GatewayClient[] {
    return [...this.#clients].filter((client) => client.server === server);
  }
}
