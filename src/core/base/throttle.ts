import type { Clock } from './clock.ts';
import type { Disposable } from './disposable.ts';

interface ThrottleOptions {
  /** Runs the action at once if it did not run within the last interval. */
  readonly leading?: boolean;
}

/** Runs an action at most once per interval, however often it is requested. */
export class Throttle implements Disposable {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #act: () => void;
  readonly #leading: boolean;
  #timer: Disposable | undefined;
  #isDue = false;
  #isDisposed = false;

  constructor(clock: Clock, ms: number, act: () => void, { leading = false }: ThrottleOptions = {}) {
    this.#clock = clock;
    this.#ms = ms;
    this.#act = act;
    this.#leading = leading;
  }

  request(): void {
    if (this.#isDue || this.#isDisposed) return;
    this.#isDue = true;
    if (this.#timer !== undefined) return;
    this.#startInterval();
    if (this.#leading) this.#run();
  }

  /** Runs a requested action now. */
  flush(): void {
    if (this.#isDue) this.#run();
  }

  /** Drops a requested action and ends the interval. */
  cancel(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#isDue = false;
  }

  /** Cancels, and ignores later requests. */
  dispose(): void {
    this.#isDisposed = true;
    this.cancel();
  }

  #startInterval(): void {
    this.#timer = this.#clock.delay(this.#ms, () => {
      this.#timer = undefined;
      if (!this.#isDue) return;
      if (this.#leading) this.#startInterval();
      this.#run();
    });
  }

  #run(): void {
    this.#isDue = false;
    this.#act();
  }
}
