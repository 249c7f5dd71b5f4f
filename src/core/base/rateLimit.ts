/** At most so many in any stretch of time of the given length. */
export class RateLimit {
  readonly #count: number;
  readonly #perMs: number;
  #times: readonly number[] = [];

  constructor(count: number, perMs: number) {
    this.#count = count;
    this.#perMs = perMs;
  }

  /** Whether one more may be now; if so, it counts. */
  take(now: number): boolean {
    this.#times = this.#times.filter((time) => now - time < this.#perMs);
    if (this.#times.length >= this.#count) return false;
    this.#times = [...this.#times, now];
    return true;
  }
}
