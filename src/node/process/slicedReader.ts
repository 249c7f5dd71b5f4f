import type { Readable } from 'node:stream';
import { Deferred, type Json, type MessageFramer } from '../../core/index.ts';

/** After this much work the editor's other extensions get their turn. */
const SLICE_MS = 4;
/** A message alone, as answers come: nothing that takes so long that a clock must be asked. */
const SHORT_READ = 1024;
/** Reads this close together may belong to one turn of the event loop, which then has one slice for all of them. */
const SAME_TURN_MS = 1;

const NEVER = (): boolean => false;

/**
 * Reads messages from a stream, a slice at a time. A flood is left in the pipe meanwhile, where it makes the sender
 * wait, and not queued here.
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

  /** The stream has ended and everything of it was delivered. */
  readonly drained = this.#drained.promise;

  constructor(stream: Readable, framer: MessageFramer) {
    this.#stream = stream;
    this.#framer = framer;
    // Listening from the first moment: when a child exits, Node empties those of its pipes that nobody listens to.
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
    // A broken pipe is an end like any other; what broke it shows in how the process exits.
    stream.on('error', () => this.#end());
  }

  /** Grows with every read: tells a stream that still flows from one that is merely open. */
  get reads(): number {
    return this.#reads;
  }

  /** A second receiver takes over, even between two messages of one read. */
  start(receiver: (message: Json) => void): void {
    const isFirst = this.#receiver === undefined;
    this.#receiver = receiver;
    if (isFirst) setImmediate(this.#nextSlice);
  }

  /** Reads what nobody asked for, so that the stream gets to its end. */
  discard(): void {
    if (this.#receiver === undefined) this.start(() => undefined);
  }

  /** Takes no more from the stream; what was read is still delivered. */
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
