import { type Clock, type Disposable, toDisposable } from '../../core/index.ts';

/** Calls all listeners from one timer, because waking up costs more than their work. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #beats = new Set<() => void>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** The first call may come early. */
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
