import type { Writable } from 'node:stream';

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
