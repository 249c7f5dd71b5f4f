import { type DroppedMessage, Emitter, type Json, type TransportClosed } from '../core/index.ts';
import type { HeldRequest } from './streamableHttp.ts';

/** What a transport hands over, in order: held back until somebody receives it, and nothing after the end. */
export class Delivery {
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  readonly #held = new Emitter<HeldRequest>();
  #waiting: (() => void)[] | undefined = [];
  #receiver: (message: Json) => void = () => undefined;

  readonly onClose = this.#closed.event;
  readonly onDropped = this.#dropped.event;
  readonly onHeld = this.#held.event;

  start(receiver: (message: Json) => void): void {
    this.#receiver = receiver;
    queueMicrotask(() => this.#release());
  }

  message(message: Json): void {
    this.#hand(() => this.#receiver(message));
  }

  drop(dropped: DroppedMessage): void {
    this.#hand(() => this.#dropped.fire(dropped));
  }

  hold(held: HeldRequest): void {
    this.#hand(() => this.#held.fire(held));
  }

  end(closed: TransportClosed): void {
    this.#hand(() => {
      this.#receiver = () => undefined;
      this.#closed.fire(closed);
      this.#closed.dispose();
      this.#dropped.dispose();
      this.#held.dispose();
    });
    // Closed on purpose, nobody will ask any more for what came before.
    if (closed.error === undefined) this.#release();
  }

  #hand(delivery: () => void): void {
    if (this.#waiting === undefined) delivery();
    else this.#waiting.push(delivery);
  }

  #release(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const delivery of waiting) delivery();
  }
}
