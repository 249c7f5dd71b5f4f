import type { Clock } from './clock.ts';
import type { Disposable } from './disposable.ts';

/** Does something at once, and what is asked for soon after together and later. */
export class Pace implements Disposable {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #act: () => void;
  #timer: Disposable | undefined;
  #isDue = false;

  constructor(clock: Clock, ms: number, act: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#act = act;
  }

  ask(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#timer = this.#clock.delay(this.#ms, () => {
      const isDue = this.#isDue;
      this.dispose();
      if (isDue) this.ask();
    });
    this.#act();
  }

  /** Drops requested work that has not started; new work may be requested. */
  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#isDue = false;
  }
}
