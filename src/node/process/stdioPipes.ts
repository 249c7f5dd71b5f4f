import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { clip, type Clock, Deferred, type Json, LogLimiter, type MessageFramer } from '../../core/index.ts';

/** Work per slice, after which other extensions get their turn. */
const SLICE_MS = 4;
/** A single message, such as an answer, is too short to need a time limit. */
const SHORT_READ = 1024;
/** Reads within this time count as one turn of the event loop and share a slice. */
const SAME_TURN_MS = 1;

const NEVER = (): boolean => false;

/** More lines than this are not readable anyway. */
export const STDERR_LIMITS = { lines: 200, perMs: 1_000 };
const MAX_LINE = 4_000;
const LAST_LINES = 10;
const MAX_LAST_LINE = 300;
/** Kept beyond the limit, so that no secret is cut before it is removed. */
const SECRET_ROOM = 2_000;

/** For short texts, which are most, `toString` is faster than a `TextDecoder`. */
export function decode(bytes: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8', start, end);
}

/**
 * Writes messages to a stream. Messages of one turn are merged into one write, because each write costs a system call.
 */
export class CoalescedWriter {
  readonly #stream: Writable;
  readonly #maxUnread: number;
  readonly #onOverflow: () => void;
  #outbox = '';
  #isFlushScheduled = false;
  #isEnded = false;

  /** Calls `onOverflow` once, and never within `send`, if the reader leaves more than `maxUnread` characters unread. */
  constructor(stream: Writable, maxUnread: number, onOverflow: () => void) {
    this.#stream = stream;
    this.#maxUnread = maxUnread;
    this.#onOverflow = onOverflow;
    // The reader is gone: the connection ends with its process, and unsent messages are lost.
    stream.on('error', () => this.#abandon());
  }

  /** Takes a complete message with its delimiter. */
  send(framed: string): void {
    if (this.#isEnded) return;
    this.#outbox += framed;
    if (this.#outbox.length + this.#stream.writableLength > this.#maxUnread) {
      this.#abandon();
      process.nextTick(this.#onOverflow);
    } else if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true;
      // In a promise reaction, a tick runs after all due reactions: a hundred answers become one write.
      process.nextTick(this.#flush);
    }
  }

  /** Flushes and ends the stream. */
  end(): void {
    if (this.#isEnded) return;
    this.#flush();
    this.#isEnded = true;
    this.#stream.end();
  }

  readonly #flush = (): void => {
    this.#isFlushScheduled = false;
    if (this.#isEnded || this.#outbox === '') return;
    const text = this.#outbox;
    this.#outbox = '';
    this.#stream.write(text);
  };

  #abandon(): void {
    this.#isEnded = true;
    this.#outbox = '';
  }
}

/**
 * Reads messages from a stream in slices. During a flood, data stays in the pipe and slows the sender instead of being
 * queued here.
 */
export class SlicedReader {
  readonly #stream: Readable;
  readonly #framer: MessageFramer;
  readonly #drained = new Deferred<void>();
  #receiver: ((message: Json) => void) | undefined;
  #isWaiting = false;
  #isEnded = false;
  #sliceEnd = 0;
  #lastWork = 0;
  #reads = 0;

  /** Resolves when the stream has ended and all messages were delivered. */
  readonly drained = this.#drained.promise;

  constructor(stream: Readable, framer: MessageFramer) {
    this.#stream = stream;
    this.#framer = framer;
    // Listens from the start: when a child exits, Node drains its pipes without listeners.
    stream.on('data', (chunk: Buffer) => {
      this.#reads++;
      framer.push(chunk);
      if (this.#isWaiting) return;
      if (chunk.length > SHORT_READ) this.#pump();
      else if (this.#receiver !== undefined) framer.drain(this.#deliver, NEVER);
    });
    stream.pause();
    stream.once('end', () => this.#end());
    stream.once('close', () => this.#end());
    // A broken pipe is a normal end. The exit of the process shows the cause.
    stream.on('error', () => this.#end());
  }

  /** Number of reads, which shows whether the stream still flows. */
  get reads(): number {
    return this.#reads;
  }

  /** Another receiver takes over, even between two messages of one read. */
  start(receiver: (message: Json) => void): void {
    const isFirst = this.#receiver === undefined;
    this.#receiver = receiver;
    if (isFirst) setImmediate(this.#nextSlice);
  }

  /** Reads and discards the rest, so that the stream can end. */
  discard(): void {
    if (this.#receiver === undefined) this.start(() => undefined);
  }

  /** Stops reading. Data already read is still delivered. */
  stop(): void {
    this.#stream.destroy();
    this.#end();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#framer.end();
    if (!this.#isWaiting) this.#pump();
  }

  #pump(): void {
    if (this.#receiver === undefined) return;
    const now = performance.now();
    if (now - this.#lastWork > SAME_TURN_MS) this.#sliceEnd = now + SLICE_MS;
    this.#lastWork = now;
    if (this.#framer.drain(this.#deliver, this.#timeIsUp)) {
      this.#isWaiting = true;
      this.#stream.pause();
      setImmediate(this.#nextSlice);
    } else if (this.#isEnded) this.#drained.resolve();
  }

  readonly #deliver = (message: Json): void => this.#receiver?.(message);

  readonly #timeIsUp = (): boolean => {
    this.#lastWork = performance.now();
    return this.#lastWork >= this.#sliceEnd;
  };

  readonly #nextSlice = (): void => {
    this.#isWaiting = false;
    this.#lastWork = 0;
    this.#pump();
    if (!this.#isWaiting) this.#stream.resume();
  };
}

/** A server's stderr in lines, with a rate limit. Reading never stops, so that the server does not block. */
export class StderrLines {
  readonly #limiter: LogLimiter;
  readonly #decoder = new StringDecoder('utf8');
  readonly #redact: (text: string) => string;
  readonly #last: string[] = [];
  #open = '';

  /** `redact` removes secrets, which servers print in errors. */
  constructor(clock: Clock, onLine: (line: string) => void, redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
    this.#limiter = new LogLimiter(clock, STDERR_LIMITS, onLine);
  }

  /** The newest lines, oldest first, including suppressed ones. */
  get last(): readonly string[] {
    return this.#last;
  }

  push(chunk: Buffer): void {
    const text = this.#open + this.#decoder.write(chunk);
    const lines = text.split(/\r?\n/);
    // Bounds the incomplete line too: a progress bar never ends its line.
    this.#open = (lines.pop() ?? '').slice(0, MAX_LINE + SECRET_ROOM);
    for (const line of lines) this.#line(line);
  }

  end(): void {
    if (this.#open !== '') this.#line(this.#open);
    this.#open = '';
    this.#limiter.dispose();
  }

  #line(line: string): void {
    if (line.trim() === '') return;
    const clean = this.#redact(line.slice(0, MAX_LINE + SECRET_ROOM));
    this.#last.push(clip(clean, MAX_LAST_LINE));
    if (this.#last.length > LAST_LINES) this.#last.shift();
    this.#limiter.line(clip(clean, MAX_LINE));
  }
}
