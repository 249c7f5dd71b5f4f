import { clip, type Clock, type Disposable, type Logger, type LogLevel } from '../../core/index.ts';

const MAX_LINE = 8_000;

interface Burst {
  /** Lines per window. */
  readonly lines: number;
  /** Length of a window, in milliseconds. */
  readonly ms: number;
}

/**
 * A rate-limited logger: passes a number of lines per window, and reports how many were dropped. Applies to host errors
 * too, which are few. Not a `Throttle`: lines are passed at once, and a window also ends without a report.
 */
export class BoundedLog implements Logger, Disposable {
  readonly #sink: Logger;
  readonly #clock: Clock;
  readonly #burst: Burst;
  #window: Disposable | undefined;
  #passed = 0;
  #leftOut = 0;

  constructor(sink: Logger, clock: Clock, burst: Burst = { lines: 500, ms: 1_000 }) {
    this.#sink = sink;
    this.#clock = clock;
    this.#burst = burst;
  }

  log(level: LogLevel, message: string): void {
    this.#window ??= this.#clock.delay(this.#burst.ms, () => this.#endWindow());
    if (this.#passed >= this.#burst.lines) {
      this.#leftOut++;
      return;
    }
    this.#passed++;
    this.#sink.log(level, clip(message, MAX_LINE));
  }

  dispose(): void {
    this.#window?.dispose();
    this.#window = undefined;
  }

  #endWindow(): void {
    const leftOut = this.#leftOut;
    this.#window = undefined;
    this.#passed = 0;
    this.#leftOut = 0;
    if (leftOut > 0) this.#sink.log('warn', `… ${leftOut} more lines came within this second and are left out.`);
  }
}
