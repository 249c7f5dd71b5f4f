import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { plural } from '../base/plural.ts';

interface LogLimits {
  readonly lines: number;
  readonly perMs: number;
}

/** A log rate limit: writes some lines per interval and counts the others. */
export class LogLimiter implements Disposable {
  readonly #clock: Clock;
  readonly #limits: LogLimits;
  readonly #write: (line: string) => void;
  #windowEnd = 0;
  #written = 0;
  #leftOut = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, limits: LogLimits, write: (line: string) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#write = write;
  }

  line(text: string): void {
    const now = this.#clock.now();
    if (now >= this.#windowEnd) {
      this.#summarise();
      this.#windowEnd = now + this.#limits.perMs;
      this.#written = 0;
    }
    if (this.#written < this.#limits.lines) {
      this.#written++;
      this.#write(text);
      return;
    }
    this.#leftOut++;
    this.#timer ??= this.#clock.delay(this.#windowEnd - now, () => this.#summarise());
  }

  /** Reports the number of suppressed lines at once. */
  dispose(): void {
    this.#summarise();
  }

  #summarise(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#leftOut === 0) return;
    const count = this.#leftOut;
    this.#leftOut = 0;
    this.#write(`… ${plural(count, 'line')} left out`);
  }
}
