import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';

/** An item with a deadline. */
export interface Deadlined {
  /** Milliseconds since the epoch. May be changed at any time. */
  deadline: number;
}

/**
 * One timer for any number of deadlines, set for the earliest. A call then costs one comparison; a timer for each would
 * be most of the cost of a short call.
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

  /** Call this for a new or earlier deadline. A later one needs no call. */
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
