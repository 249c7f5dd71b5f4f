import {
  type Clock,
  type ConnectContext,
  type DroppedMessage,
  Emitter,
  isJsonObject,
  type Json,
  LogLimiter,
  toHostError,
  type TransportClosed,
} from '../core/index.ts';
import { parseMessages, readJson } from './httpBody.ts';
import type { HeldRequest } from './streamableHttp.ts';

const NOISE = { lines: 50, perMs: 10_000 };
const SHOWN = 200;

/** What a transport hands over, in order: held back until somebody receives it, and nothing after the end. */
export class Delivery {
  readonly #noise: LogLimiter;
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  readonly #held = new Emitter<HeldRequest>();
  #waiting: (() => void)[] | undefined = [];
  #receiver: (message: Json) => void = () => undefined;
  #isEnded = false;

  readonly onClose = this.#closed.event;
  readonly onDropped = this.#dropped.event;
  readonly onHeld = this.#held.event;

  constructor(clock: Clock, { log }: ConnectContext) {
    this.#noise = new LogLimiter(clock, NOISE, (line) => log.log('warn', line));
  }

  start(receiver: (message: Json) => void): void {
    this.#receiver = receiver;
    queueMicrotask(() => this.#release());
  }

  message(message: Json): void {
    this.#hand(() => this.#receiver(message));
  }

  /** The messages in a text. One that cannot be taken does not end the connection. */
  text(text: string): void {
    try {
      const messages = parseMessages(text);
      if (messages === undefined) this.#noise.line(`Not a message: ${text.slice(0, SHOWN)}`);
      else for (const message of messages) this.message(message);
    } catch (error) {
      const value = readJson(text);
      const { id, method } = isJsonObject(value) ? value : {};
      const known = typeof id === 'number' || typeof id === 'string' ? id : undefined;
      this.drop({ id: known, isRequest: method !== undefined, error: toHostError(error) });
    }
  }

  drop(dropped: DroppedMessage): void {
    this.#hand(() => this.#dropped.fire(dropped));
  }

  hold(held: HeldRequest): void {
    this.#hand(() => this.#held.fire(held));
  }

  end(closed: TransportClosed): void {
    if (this.#isEnded) return;
    this.#noise.dispose();
    this.#hand(() => {
      this.#receiver = () => undefined;
      this.#closed.fire(closed);
      this.#closed.dispose();
      this.#dropped.dispose();
      this.#held.dispose();
    });
    this.#isEnded = true;
    // Closed on purpose, nobody will ask any more for what came before.
    if (closed.error === undefined) this.#release();
  }

  #hand(delivery: () => void): void {
    if (this.#isEnded) return;
    if (this.#waiting === undefined) delivery();
    else this.#waiting.push(delivery);
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const delivery of waiting) delivery();
  }
}
