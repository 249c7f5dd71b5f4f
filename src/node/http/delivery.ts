import { setImmediate } from 'node:timers/promises';
import {
  type Clock,
  type ConnectContext,
  type DroppedMessage,
  Emitter,
  isJsonObject,
  type Json,
  type LiftedMessage,
  LONG_MESSAGE,
  LogLimiter,
  type MemberPath,
  toHostError,
  type TransportClosed,
  ValueLifter,
} from '../../core/index.ts';
import { decode } from '../process/stdioPipes.ts';
import { parseMessages, readJson } from './httpBody.ts';
import { shownBody } from './httpFailure.ts';

const NOISE = { lines: 50, perMs: 10_000 };

/** Delivers messages and events of a transport in order: none before the first receiver, and none after the end. */
export class Delivery {
  readonly #noise: LogLimiter;
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  #waiting: (() => void)[] | undefined = [];
  #receiver: (message: Json) => void = () => undefined;
  #isEnded = false;
  #unread: readonly MemberPath[] = [];

  readonly onClose = this.#closed.event;
  readonly onDropped = this.#dropped.event;

  constructor(clock: Clock, { log }: ConnectContext) {
    this.#noise = new LogLimiter(clock, NOISE, (line) => log.log('warn', line));
  }

  start(receiver: (message: Json) => void): void {
    this.#receiver = receiver;
    queueMicrotask(() => this.#release());
  }

  message(message: Json): void {
    this.inOrder(() => this.#receiver(message));
  }

  /** An event of the transport's own. */
  inOrder(delivery: () => void): void {
    if (!this.#isEnded) this.#pass(delivery);
  }

  /** Sets the paths to leave as text in long messages. */
  leaveUnread(paths: readonly MemberPath[]): void {
    this.#unread = paths;
  }

  /** Delivers the messages in a text or buffer. An invalid one does not end the connection. */
  text(content: string | Buffer): void {
    const unread = this.#unread;
    if (isLong(content.length, unread)) this.inOrder(() => void this.#takeLong(content, unread));
    else for (const delivery of this.#deliveriesOf({ text: content.toString(), values: [] })) this.inOrder(delivery);
  }

  /** Parses a text at once, and delivers nothing of it; `undefined` if it is not JSON. Throws if it nests too deep. */
  parse(text: string): readonly Json[] | undefined {
    const messages = parseMessages(lifted(text, this.#unread));
    if (messages === undefined) this.#noise.line(`Not a message: ${shownBody(text)}`);
    return messages;
  }

  drop(dropped: DroppedMessage): void {
    this.inOrder(() => this.#dropped.fire(dropped));
  }

  /** Holds later messages meanwhile, to keep the order. */
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

  end(closed: TransportClosed): void {
    if (this.#isEnded) return;
    this.#noise.dispose();
    this.inOrder(() => {
      this.#receiver = () => undefined;
      this.#closed.fire(closed);
      this.#closed.dispose();
      this.#dropped.dispose();
    });
    this.#isEnded = true;
    // Closed on purpose: no receiver will come for the waiting messages.
    if (closed.error === undefined) this.#release();
  }

  #pass(delivery: () => void): void {
    if (this.#waiting === undefined) delivery();
    else this.#waiting.push(delivery);
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    // One of them may hold the others again.
    for (const delivery of waiting) this.#pass(delivery);
  }
}

/** Work per slice, after which other extensions get their turn. */
const SLICE_MS = 4;
const PIECE = 64 * 1024;

/** Whether to extract values from a message of this length. */
function isLong(length: number, unread: readonly MemberPath[]): boolean {
  return length >= LONG_MESSAGE && unread.length > 0;
}

/** Extracts the values at some paths from a complete message. Yields to the event loop in between. */
async function liftedInSlices(bytes: Uint8Array, unread: readonly MemberPath[]): Promise<LiftedMessage> {
  const lifter = new ValueLifter(unread, decode);
  let began = performance.now();
  for (let at = 0; at < bytes.length; at += PIECE) {
    lifter.take(bytes, at, Math.min(bytes.length, at + PIECE));
    if (performance.now() - began < SLICE_MS) continue;
    await setImmediate();
    began = performance.now();
  }
  return lifter.finish();
}

/** The synchronous version, which takes up to 50 ms for 10 MB. For callers that must decide as a message arrives. */
function lifted(text: string, unread: readonly MemberPath[]): LiftedMessage {
  if (!isLong(text.length, unread)) return { text, values: [] };
  const lifter = new ValueLifter(unread, decode);
  const bytes = Buffer.from(text);
  lifter.take(bytes, 0, bytes.length);
  return lifter.finish();
}
