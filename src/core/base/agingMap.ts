/**
 * A map for short-lived entries, in order of age. It consists of several maps that are dropped as a whole, because one
 * long-lived map rebuilds its tables again and again. Once one table is in the old generation, every later one stays
 * there with all its entries until a full garbage collection. A flood of 100,000 events took 120 MB with one map, and
 * takes 50 MB with several.
 */
export class AgingMap<K, V extends object> {
  /** Maximum entries of one map. */
  readonly #each: () => number;
  /** Oldest first. */
  #maps: Map<K, V>[] = [];
  /** Number of entries added to the newest map. */
  #given = 0;
  #size = 0;

  constructor(each: () => number) {
    this.#each = each;
  }

  get size(): number {
    return this.#size;
  }

  /** Searches the newest map first, because most entries are read while they are new. */
  get(key: K): V | undefined {
    for (let at = this.#maps.length - 1; at >= 0; at--) {
      const found = this.#maps[at]?.get(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The key must be new. */
  add(key: K, value: V): void {
    this.#newest().set(key, value);
    this.#given++;
    this.#size++;
  }

  /** Replaces the value of an existing key, and keeps its position. */
  replace(key: K, value: V): void {
    this.#maps.findLast((map) => map.has(key))?.set(key, value);
  }

  /** Searches the oldest map first, because entries are usually deleted in order of age. */
  delete(key: K): void {
    for (const [at, map] of this.#maps.entries()) {
      if (!map.delete(key)) continue;
      this.#size--;
      if (map.size === 0) this.#maps = this.#maps.toSpliced(at, 1);
      return;
    }
  }

  /** Oldest first. Skips entries that are deleted meanwhile. */
  *values(): Generator<V> {
    for (const map of this.#maps) yield* map.values();
  }

  #newest(): Map<K, V> {
    const last = this.#maps.at(-1);
    if (last !== undefined && this.#given < this.#each()) return last;
    const made = new Map<K, V>();
    this.#maps = [...this.#maps, made];
    this.#given = 0;
    return made;
  }
}
