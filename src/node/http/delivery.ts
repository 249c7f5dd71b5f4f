import {
  type Clock,
  type ConnectContext,
  type DroppedMessage,
  Emitter,
  isJsonObject,
  type Json,
  type LiftedMessage,
  LogLimiter,
  type MemberPath,
  toHostError,
  type TransportClosed,
} from '../../core/index.ts';
import { parseMessages, readJson } from './httpBody.ts';
import { shownBody } from './httpFailure.ts';
import { isLong, liftedInSlices } from '../process/longMessage.ts';
import type { HeldRequest } from './streamableHttp.ts';

const NOISE = { lines: 50, perMs: 10_000 };

/** What a transport hands over, in order: held back until somebody receives it, and nothing after the end. */
export class Delivery {
  readonly #noise: LogLimiter;
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  readonly #held = new Emitter<HeldRequest>();
  #waiting: (() => void)[] | undefined = [];
  #receiver: (message: Json) => void = () => undefined;
  #isEnded = false;
  #unread: readonly MemberPath[] = [];

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

  /** Of long messages that arrive from now on. */
  leaveUnread(paths: readonly MemberPath[]): void {
    this.#unread = paths;
  }

  /** The messages in a text, or in its bytes. One that cannot be taken does not end the connection. */
  text(content: string | Buffer): void {
    const unread = this.#unread;
    if (isLong(content.length, unread)) this.#hand(() => void this.#takeLong(content, unread));
    else for (const delivery of this.#deliveriesOf({ text: content.toString(), values: [] })) this.#hand(delivery);
  }

  drop(dropped: DroppedMessage): void {
    this.#hand(() => this.#dropped.fire(dropped));
  }

  /** What comes meanwhile waits: messages stay in order. */
  async #takeLong(content: string | Buffer, unread: readonly MemberPath[]): Promise<void> {
    this.#waiting = [];
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const deliveries = this.#deliveriesOf(await liftedInSlices(bytes, unread));
    this.#waiting = [...deliveries, ...(this.#waiting ?? [])];
    this.#release();
  }

  #deliveriesOf(content: LiftedMessage): readonly (() => void)[] {
    const { text } = content;
    try {
      const messages = parseMessages(content);
      if (messages !== undefined) return messages.map((message) => () => this.#receiver(message));
      this.#noise.line(`Not a message: ${shownBody(text)}`);
      return [];
    } catch (error) {
      const value = readJson(text);
      const { id, method } = isJsonObject(value) ? value : {};
      const known = typeof id === 'number' || typeof id === 'string' ? id : undefined;
      const dropped = { id: known, isRequest: method !== undefined, error: toHostError(error) };
      return [() => this.#dropped.fire(dropped)];
    }
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
    if (!this.#isEnded) this.#pass(delivery);
  }

  #pass(delivery: () => void): void {
    if (this.#waiting === undefined) delivery();
    else this.#waiting.push(delivery);
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    // One of them may have the others wait again.
    for (const delivery of waiting) this.#pass(delivery);
  }
}
