import type { Clock } from '../../src/core/base/clock.ts';
import { type Disposable, toDisposable } from '../../src/core/base/disposable.ts';

interface Timer {
  at: number;
  readonly ms: number;
  readonly callback: () => void;
  handle: Disposable | undefined;
}

/** A clock that only advances when a test says so. */
export class FakeClock implements Clock {
  /** The delay of each timer that fired, to detect costs while nothing happens. */
  readonly fired: number[] = [];
  readonly #timers = new Set<Timer>();
  #now: number;

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  /** The number of waiting timers, to detect leaked ones. */
  get waiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  delay(ms: number, callback: () => void): Disposable {
    const timer: Timer = { at: this.#now + Math.max(0, ms), ms, callback, handle: undefined };
    this.#timers.add(timer);
    timer.handle = toDisposable(() => this.#timers.delete(timer));
    return timer.handle;
  }

  /** Sets the clock back. Timers keep their remaining time. */
  setBack(ms: number): void {
    this.#now -= ms;
    for (const timer of this.#timers) timer.at -= ms;
  }

  /** The machine sleeps for `ms`. Timers that were due meanwhile fire afterwards, once each. */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  /** Advances by `ms`, runs due timers in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      // Like a real timer, releases its resources after it fired.
      next.handle?.dispose();
      this.#now = Math.max(this.#now, next.at);
      this.fired.push(next.ms);
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets all promises settle that can. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
