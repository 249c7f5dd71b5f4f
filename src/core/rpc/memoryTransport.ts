import type { HostError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { type Json, parseJson } from '../base/json.ts';
import { messageText } from './messages.ts';
import type { DroppedMessage, SendHints, Transport, TransportClosed } from './transport.ts';

/** One end of an in-process connection. Messages are passed as text, in order, and never in the same turn. */
export class MemoryTransport implements Transport {
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  readonly onClose = this.#closed.event;
  readonly onDropped = this.#dropped.event;
  readonly #held: string[] = [];
  #receiver: ((message: Json) => void) | undefined;
  #other: MemoryTransport | undefined;
  #ending: TransportClosed | undefined;
  #isClosed = false;

  static link(one: MemoryTransport, two: MemoryTransport): void {
    one.#other = two;
    two.#other = one;
  }

  start(receiver: (message: Json) => void): void {
    this.#receiver = receiver;
    this.#deliverSoon();
  }

  send(message: Json, hints?: SendHints): void {
    const other = this.#other;
    if (this.#ending !== undefined || other === undefined || other.#ending !== undefined) return;
    other.#held.push(messageText(message, hints?.parts));
    other.#deliverSoon();
  }

  close(): Promise<void> {
    this.#end({});
    if (this.#other !== undefined) this.#other.#end({});
    return Promise.resolve();
  }

  /** Ends the connection with an error for both ends. */
  fail(error: HostError): void {
    this.#end({ error });
    if (this.#other !== undefined) this.#other.#end({ error });
  }

  /** Reports a message that did not arrive, as transports do whose messages can fail separately. */
  drop(dropped: DroppedMessage): void {
    queueMicrotask(() => this.#dropped.fire(dropped));
  }

  #end(how: TransportClosed): void {
    if (this.#ending !== undefined) return;
    this.#ending = how;
    this.#deliverSoon();
  }

  #deliverSoon(): void {
    queueMicrotask(() => {
      while (this.#receiver !== undefined && this.#held.length > 0) {
        const text = this.#held.shift();
        if (text !== undefined) this.#receiver(parseJson(text));
      }
      if (this.#ending === undefined || this.#isClosed) return;
      this.#isClosed = true;
      this.#closed.fire(this.#ending);
      this.#closed.dispose();
      this.#dropped.dispose();
    });
  }
}

/** The two ends of one connection. */
export function createLinkedTransports(): readonly [MemoryTransport, MemoryTransport] {
  const ends = [new MemoryTransport(), new MemoryTransport()] as const;
  MemoryTransport.link(...ends);
  return ends;
}
