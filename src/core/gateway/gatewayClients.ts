import { type Disposable, toDisposable } from '../base/disposable.ts';
import type { CallPlace, ClientPlace } from './clientRequests.ts';

/** A client that is connected to one server's endpoint. */
export interface GatewayClient {
  readonly server: string;
  readonly showsForms: boolean;
  /** Its tool calls that have no answer yet, the oldest first. */
  readonly calls: Iterable<CallPlace>;
  /** Where it can be asked for a model's answer; absent where it offers none, or has no stream. */
  readonly models: ClientPlace | undefined;
}

/** All clients that are connected now: who knows a better place to ask than a notification. */
export class GatewayClients {
  readonly #clients = new Set<GatewayClient>();

  add(client: GatewayClient): Disposable {
    this.#clients.add(client);
    return toDisposable(() => this.#clients.delete(client));
  }

  /**
   * The chat whose call this server works on. MCP does not say for which call a server asks: where calls of more than
   * one chat are under way, or any that names none, nobody can tell whose question it is.
   */
  chatOf(server: string): ClientPlace | undefined {
    const chats = new Set<string | undefined>();
    let newest: ClientPlace | undefined;
    for (const { calls, showsForms } of this.#of(server))
      for (const call of calls) {
        chats.add(call.conversation);
        newest = showsForms ? call : newest;
      }
    return chats.size === 1 && !chats.has(undefined) ? newest : undefined;
  }

  /** A client of this server that has models. */
  modelsOf(server: string): ClientPlace | undefined {
    return this.#of(server).find(({ models }) => models !== undefined)?.models;
  }

  #of(server: string): readonly GatewayClient[] {
    return [...this.#clients].filter((client) => client.server === server);
  }
}
