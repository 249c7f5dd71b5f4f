import type { Event } from '../base/event.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import type { MemberPath } from '../base/unreadJson.ts';
import { classify, ownId } from '../rpc/messages.ts';
import type { DroppedMessage, SendHints, Transport, TransportClosed, TransportDetails } from '../rpc/transport.ts';

/** Maximum messages held for the session. A server that sends more before its handshake loses the rest. */
const MAX_HELD = 1_000;

/**
 * Lets one process be probed and then used, whatever and whenever it answers. The probe and the session each get a
 * transport over the same connection. Answers to the probe, even late ones, go to the probe; everything else goes to
 * the session.
 */
export class FirstQuestion {
  readonly #inner: Transport;
  /** The probe's transport. Sends nothing after the session started. */
  readonly asking: Transport;
  readonly #asked = new Set<number>();
  readonly #held: Json[] = [];
  #hearAnswer: ((message: Json) => void) | undefined;
  #hearSession: ((message: Json) => void) | undefined;
  #isHandedOver = false;

  constructor(inner: Transport) {
    this.#inner = inner;
    this.asking = new View(inner, {
      start: (receiver) => {
        this.#hearAnswer = receiver;
        inner.start((message) => this.#receive(message));
      },
      send: (message, hints) => {
        if (this.#isHandedOver) return;
        const classified = classify(message);
        if (classified.kind === 'request') this.#asked.add(Number(classified.id));
        inner.send(message, hints);
      },
    });
  }

  /** The session's transport. Without an open probe and held messages, this is the connection itself. */
  forSession(): Transport {
    this.#isHandedOver = true;
    if (this.#asked.size === 0 && this.#held.length === 0) return this.#inner;
    return new View(this.#inner, {
      start: (receiver) => {
        this.#hearSession = receiver;
        this.#inner.start((message) => this.#receive(message));
        queueMicrotask(() => this.#flush());
      },
      send: (message, hints) => this.#inner.send(message, hints),
    });
  }

  #receive(message: Json): void {
    const answer = this.#answerIn(message);
    if (answer !== undefined) {
      this.#hearAnswer?.(answer);
      this.#leave();
    } else if (this.#hearSession !== undefined && this.#held.length === 0) this.#hearSession(message);
    else if (this.#held.length < MAX_HELD) this.#held.push(message);
  }

  #flush(): void {
    for (let next = this.#held.shift(); next !== undefined; next = this.#held.shift()) this.#hearSession?.(next);
    this.#leave();
  }

  #answerIn(message: Json): Json | undefined {
    if (!isJsonObject(message) || message['method'] !== undefined) return undefined;
    const { id, error } = message;
    // JSON-RPC uses `id: null` for unreadable requests. Before the session, that can only be the probe.
    const [only] = this.#asked;
    if ((id === null || id === undefined) && error !== undefined && only !== undefined && !this.#isHandedOver) {
      this.#asked.clear();
      return { ...message, id: only };
    }
    const own = typeof id === 'number' || typeof id === 'string' ? ownId(id) : undefined;
    return own !== undefined && this.#asked.delete(own) ? message : undefined;
  }

  /** Once all answers have arrived, the session uses the connection directly. */
  #leave(): void {
    const receiver = this.#hearSession;
    if (receiver !== undefined && this.#asked.size + this.#held.length === 0) this.#inner.start(receiver);
  }
}

type Ends = Pick<Transport, 'start' | 'send'>;

/** A transport with its own `start` and `send`. Everything else is delegated. */
class View implements Transport {
  readonly #inner: Transport;
  readonly #ends: Ends;
  readonly onClose: Event<TransportClosed>;
  readonly onDropped?: Event<DroppedMessage>;
  readonly onRenewed?: Event<Json>;

  constructor(inner: Transport, ends: Ends) {
    this.#inner = inner;
    this.#ends = ends;
    this.onClose = inner.onClose;
    if (inner.onDropped !== undefined) this.onDropped = inner.onDropped;
    if (inner.onRenewed !== undefined) this.onRenewed = inner.onRenewed;
  }

  get details(): TransportDetails | undefined {
    return this.#inner.details;
  }

  start(receiver: (message: Json) => void): void {
    this.#ends.start(receiver);
  }

  send(message: Json, hints?: SendHints): void {
    this.#ends.send(message, hints);
  }

  leaveUnread(paths: readonly MemberPath[]): void {
    this.#inner.leaveUnread?.(paths);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
