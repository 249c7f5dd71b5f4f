import type { Disposable } from '../base/disposable.ts';
import type { JsonObject } from '../base/json.ts';
import { notificationMessage } from './messages.ts';

/** A stream on which the endpoint speaks unasked. */
export interface BackChannel {
  send(message: JsonObject): void;
  /** The session is over. */
  end(): void;
}

/** The lists that can be said to have changed. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** More than one is allowed by the transport, more than a few is a client that forgets its streams. */
const MAX_CHANNELS = 4;
/** What changed while no stream was open is told of when there is one; a client that is told of so much reads all anew. */
const MOST_UNTOLD = 256;

/** The streams of one client on which it is told what it did not ask for. The newest one is used. */
export class BackChannels implements Disposable {
  #channels: readonly BackChannel[] = [];
  readonly #untoldLists = new Set<ListKind>();
  readonly #untoldResources = new Set<string>();
  #isDisposed = false;

  get size(): number {
    return this.#channels.length;
  }

  get newest(): BackChannel | undefined {
    return this.#channels.at(-1);
  }

  /** Adds a stream. A client reconnects before it gives up the old one. */
  attach(channel: BackChannel): void {
    if (this.#isDisposed) return channel.end();
    for (const surplus of this.#channels.slice(0, Math.max(0, this.#channels.length + 1 - MAX_CHANNELS))) {
      this.detach(surplus);
      surplus.end();
    }
    this.#channels = [...this.#channels, channel];
    for (const list of takeAll(this.#untoldLists)) this.tellListChanged(list);
    for (const uri of takeAll(this.#untoldResources)) this.tellUpdated(uri);
  }

  /** The stream has gone. */
  detach(channel: BackChannel): void {
    this.#channels = this.#channels.filter((other) => other !== channel);
  }

  /** Tells the client, now or as soon as it has a stream; once, however often the list changed while there was none. */
  tellListChanged(list: ListKind): void {
    const { newest } = this;
    if (newest === undefined) this.#untoldLists.add(list);
    newest?.send(notificationMessage(`notifications/${list}/list_changed`));
  }

  tellUpdated(uri: string): void {
    const { newest } = this;
    if (newest !== undefined) newest.send(notificationMessage('notifications/resources/updated', { uri }));
    else if (this.#untoldResources.size < MOST_UNTOLD) this.#untoldResources.add(uri);
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
