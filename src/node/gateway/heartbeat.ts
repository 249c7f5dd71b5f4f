import { type Clock, type Disposable, toDisposable } from '../../core/index.ts';

/** Calls everybody who wants to be called from time to time, by one timer: to wake up costs more than what each does. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #beats = new Set<() => void>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** The first time comes sooner than the others follow each other. */
  add(beat: () => void): Disposable {
    this.#beats.add(beat);
    this.#timer ??= this.#arm();
    return toDisposable(() => {
      this.#beats.delete(beat);
      if (this.#beats.size > 0) return;
      this.#timer?.dispose();
      this.#timer = undefined;
    });
  }

  #arm(): Disposable {
    return this.#clock.delay(this.#ms, () => {
      this.#timer = undefined;
      for (const beat of [...this.#beats]) beat();
      if (this.#beats.size > 0) this.#timer ??= this.#arm();
    });
  }
}
