/** Allows at most `most` in any span of `perMs`. */
export class RateLimit {
  readonly most: number;
  readonly #perMs: number;
  /** A ring buffer, so that nothing is copied. */
  #times: number[];
  /** Index of the next time. Once the ring is full, the oldest one is here. */
  #next: number;

  constructor(most: number, perMs: number, earlier: readonly number[] = []) {
    this.most = most;
    this.#perMs = perMs;
    this.#times = most > 0 ? earlier.slice(-most) : [];
    this.#next = most > 0 ? this.#times.length % most : 0;
  }

  /** 0 if another one is allowed now, otherwise the milliseconds until it is. */
  wait(now: number): number {
    if (this.most <= 0) return this.#perMs;
    // After the clock was set back, later times would block everything until the clock catches up.
    if ((this.#times.at(this.#next - 1) ?? now) > now) this.#forgetAfter(now);
    if (this.#times.length < this.most) return 0;
    return Math.max(0, this.#perMs - (now - (this.#times[this.#next] ?? 0)));
  }

  /** Like `wait`, and counts another one if it is allowed. */
  take(now: number): number {
    const wait = this.wait(now);
    if (wait > 0) return wait;
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.most;
    return 0;
  }

  /** Keeps the times and changes the limit. */
  withMost(most: number): RateLimit {
    return new RateLimit(most, this.#perMs, this.#inOrder());
  }

  #inOrder(): readonly number[] {
    return [...this.#times.slice(this.#next), ...this.#times.slice(0, this.#next)];
  }

  #forgetAfter(now: number): void {
    this.#times = this.#inOrder().filter((time) => time <= now);
    this.#next = this.#times.length % this.most;
  }
}

/** A rate limit for each key. The limit may differ from call to call. */
export class KeyedRateLimit {
  readonly #perMs: number;
  readonly #limits = new Map<string, RateLimit>();

  constructor(perMs: number) {
    this.#perMs = perMs;
  }

  /** 0 if another one is allowed now, otherwise the milliseconds until it is. */
  wait(key: string, most: number, now: number): number {
    return this.#limit(key, most).wait(now);
  }

  /** Like `wait`, and counts another one if it is allowed. */
  take(key: string, most: number, now: number): number {
    return this.#limit(key, most).take(now);
  }

  #limit(key: string, most: number): RateLimit {
    const known = this.#limits.get(key);
    if (known?.most === most) return known;
    const limit = known?.withMost(most) ?? new RateLimit(most, this.#perMs);
    this.#limits.set(key, limit);
    return limit;
  }
}
