import type { Disposable } from '../base/disposable.ts';
import type { JsonObject } from '../base/json.ts';
import { notificationMessage } from './gatewayMessages.ts';

/** A stream for messages that the client did not request. */
export interface BackChannel {
  send(message: JsonObject): void;
  /** Ends the stream with the session. */
  end(): void;
}

/** Lists with change notifications. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** The transport allows several streams. A client with more than a few has lost track of them. */
const MAX_CHANNELS = 4;
/** Maximum updates stored while no stream is open. With more, the client must read everything again. */
const MAX_PENDING = 256;

/** The streams of one client for unrequested messages. The newest is used. */
export class BackChannels implements Disposable {
  #channels: readonly BackChannel[] = [];
  readonly #pendingLists = new Set<ListKind>();
  readonly #pendingResources = new Set<string>();
  #isDisposed = false;

  get size(): number {
    return this.#channels.length;
  }

  get newest(): BackChannel | undefined {
    return this.#channels.at(-1);
  }

  /** Adds a stream. Clients reconnect before they close the old one. */
  attach(channel: BackChannel): void {
    if (this.#isDisposed) return channel.end();
    for (const surplus of this.#channels.slice(0, Math.max(0, this.#channels.length + 1 - MAX_CHANNELS))) {
      this.detach(surplus);
      surplus.end();
    }
    this.#channels = [...this.#channels, channel];
    for (const list of takeAll(this.#pendingLists)) this.notifyListChanged(list);
    for (const uri of takeAll(this.#pendingResources)) this.notifyUpdated(uri);
  }

  /** Removes a closed stream. */
  detach(channel: BackChannel): void {
    this.#channels = this.#channels.filter((other) => other !== channel);
  }

  /** Notifies the client, or stores the notification until it has a stream. Repeated changes are merged. */
  notifyListChanged(list: ListKind): void {
    const { newest } = this;
    if (newest === undefined) this.#pendingLists.add(list);
    newest?.send(notificationMessage(`notifications/${list}/list_changed`));
  }

  notifyUpdated(uri: string): void {
    const { newest } = this;
    if (newest !== undefined) newest.send(notificationMessage('notifications/resources/updated', { uri }));
    else if (this.#pendingResources.size < MAX_PENDING) this.#pendingResources.add(uri);
  }

  dispose(): void {
    this.#isDisposed = true;
    const channels = this.#channels;
    this.#channels = [];
    for (const channel of channels) channel.end();
  }
}

function takeAll<T>(set: Set<T>): readonly T[] {
  const all = [...set];
  set.clear();
  return all;
}
