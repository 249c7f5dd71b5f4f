const MINUTE_MS = 60_000;

/** At most so many of each server in any minute. How many may be different each time. */
export class PushRate {
  readonly #servers = new Map<string, Ring>();

  /** 0 if one more may be now, otherwise in how many milliseconds. */
  wait(server: string, most: number, now: number): number {
    return this.#ring(server, most, now).wait(now);
  }

  /** The same; if one more may be, it counts. */
  take(server: string, most: number, now: number): number {
    const ring = this.#ring(server, most, now);
    const wait = ring.wait(now);
    if (wait === 0) ring.add(now);
    return wait;
  }

  #ring(server: string, most: number, now: number): Ring {
    const before = this.#servers.get(server);
    if (before?.fits(most, now) === true) return before;
    const ring = new Ring(most, before?.until(now) ?? []);
    this.#servers.set(server, ring);
    return ring;
  }
}

/** The times of the last ones, each in the place of one that no longer counts: nothing is copied as they come. */
class Ring {
  readonly #most: number;
  readonly #times: number[];
  #next: number;

  constructor(most: number, times: readonly number[]) {
    this.#most = most;
    this.#times = most > 0 ? times.slice(-most) : [];
    this.#next = most > 0 ? this.#times.length % most : 0;
  }

  /** A clock that was set back would let nothing through until it has caught up. */
  fits(most: number, now: number): boolean {
    return most === this.#most && (this.#times.at(this.#next - 1) ?? now) <= now;
  }

  /** The oldest first, without what has yet to come. */
  until(now: number): readonly number[] {
    return [...this.#times.slice(this.#next), ...this.#times.slice(0, this.#next)].filter((time) => time <= now);
  }

  wait(now: number): number {
    if (this.#most <= 0) return MINUTE_MS;
    if (this.#times.length < this.#most) return 0;
    return Math.max(0, MINUTE_MS - (now - (this.#times[this.#next] ?? 0)));
  }

  add(now: number): void {
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.#most;
  }
}
