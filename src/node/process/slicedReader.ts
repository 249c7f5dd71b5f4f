import type { Readable } from 'node:stream';
import { Deferred, type Json, type MessageFramer } from '../../core/index.ts';

/** Work per slice, after which other extensions get their turn. */
const SLICE_MS = 4;
/** A single message, such as an answer, is too short to need a time limit. */
const SHORT_READ = 1024;
/** Reads within this time count as one turn of the event loop and share a slice. */
const SAME_TURN_MS = 1;

const NEVER = (): boolean => false;

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
