import type { Writable } from 'node:stream';

/** Writes messages to a stream: all that are sent in one turn leave as one write, since each costs a system call. */
export class CoalescedWriter {
  readonly #stream: Writable;
  readonly #maxUnread: number;
  readonly #onOverflow: () => void;
  #outbox = '';
  #isFlushScheduled = false;
  #isEnded = false;

  /** `onOverflow` is called once and never within `send`, when the reader leaves more than `maxUnread` characters unread. */
  constructor(stream: Writable, maxUnread: number, onOverflow: () => void) {
    this.#stream = stream;
    this.#maxUnread = maxUnread;
    this.#onOverflow = onOverflow;
    // A reader that is gone: the connection ends with its process, and what was unsent is lost with it.
    stream.on('error', () => this.#abandon());
  }

  /** Takes a whole message, with what tells where it ends. */
  send(framed: string): void {
    if (this.#isEnded) return;
    this.#outbox += framed;
    if (this.#outbox.length + this.#stream.writableLength > this.#maxUnread) {
      this.#abandon();
      process.nextTick(this.#onOverflow);
    } else if (!this.#isFlushScheduled) {
      this.#isFlushScheduled = true;
      // Within a promise's reaction a tick comes after all reactions that are due: a hundred answers, one write.
      process.nextTick(this.#flush);
    }
  }

  /** Writes what there is and ends the stream. */
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
