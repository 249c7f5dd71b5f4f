import type { Clock } from '../../src/core/base/clock.ts';
import { type Disposable, toDisposable } from '../../src/core/base/disposable.ts';

interface Timer {
  at: number;
  readonly ms: number;
  readonly callback: () => void;
  handle: Disposable | undefined;
}

/** Time that stands still until a test moves it. */
export class FakeClock implements Clock {
  /** What each timer that fired had waited, in milliseconds: what costs something although nobody does anything. */
  readonly fired: number[] = [];
  readonly #timers = new Set<Timer>();
  #now: number;

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  /** How many timers wait: what a test looks at to see that none is left behind. */
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

  /** The user, or the network, sets the clock back. Timers wait as long as before. */
  setBack(ms: number): void {
    this.#now -= ms;
    for (const timer of this.#timers) timer.at -= ms;
  }

  /** The machine sleeps for `ms`: the timers that fell due meanwhile fire afterwards, once each. */
  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  /** Moves on by `ms`, runs what falls due in its order, and lets promises settle after each step. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      // A timer that fired holds nothing any more, as a real one.
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

/** Lets every promise that can settle now do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
