import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';

/** Something that must have happened by `deadline`. */
export interface Deadlined {
  /** Milliseconds since the epoch; may be moved at will. */
  deadline: number;
}

/**
 * One timer for any number of deadlines. It is set for the earliest known and looks at all when it goes off, so that
 * a call costs a comparison: starting and stopping a timer for each is most of what a short call would cost.
 */
export class Deadlines<T extends Deadlined> implements Disposable {
  readonly #clock: Clock;
  readonly #all: () => Iterable<T>;
  readonly #expired: (item: T) => void;
  #timer: Disposable | undefined;
  #due = Infinity;

  constructor(clock: Clock, all: () => Iterable<T>, expired: (item: T) => void) {
    this.#clock = clock;
    this.#all = all;
    this.#expired = expired;
  }

  /** To be called for a deadline that is new or was moved nearer; one that was moved away needs nothing. */
  watch(deadline: number): void {
    if (deadline >= this.#due) return;
    this.#timer?.dispose();
    this.#due = deadline;
    this.#timer = this.#clock.delay(Math.max(0, deadline - this.#clock.now()), () => this.#sweep());
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#due = Infinity;
  }

  #sweep(): void {
    this.dispose();
    const now = this.#clock.now();
    let earliest = Infinity;
    const over: T[] = [];
    for (const item of this.#all()) {
      if (item.deadline <= now) over.push(item);
      else if (item.deadline < earliest) earliest = item.deadline;
    }
    if (earliest !== Infinity) this.watch(earliest);
    for (const item of over) this.#expired(item);
  }
}
