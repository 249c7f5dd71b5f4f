/**
 * The last ids of a kind, bounded. A ring beside the set, since evicting the oldest key of a set that turns over
 * walks its deleted slots.
 */
export class RecentIds {
  readonly #ids = new Set<number>();
  readonly #ring: number[] = [];
  readonly #capacity: number;
  #at = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(id: number): void {
    const evicted = this.#ring[this.#at];
    if (evicted !== undefined) this.#ids.delete(evicted);
    this.#ring[this.#at] = id;
    this.#at = (this.#at + 1) % this.#capacity;
    this.#ids.add(id);
  }

  /** Whether the id was there; it is no longer. */
  take(id: number): boolean {
    return this.#ids.delete(id);
  }
}
