interface Numbered {
  readonly id: number;
}

const FEWEST = 64;

/**
 * What is under way, by its number. Numbers rise by one, so a call's slot is its number modulo the size: a map whose
 * keys come and go chains its old tables, and what was in one of them lives on until the next full collection.
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

  /** Takes it out, where it is there. */
  take(id: number): T | undefined {
    const slot = id & (this.#slots.length - 1);
    const found = this.#slots[slot];
    if (found?.id !== id) return undefined;
    this.#slots[slot] = undefined;
    return found;
  }

  /** In the order of their numbers, but for those that came while others waited long. */
  *values(): Generator<T> {
    for (const item of this.#slots) if (item !== undefined) yield item;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Array<T | undefined>(before.length * 2).fill(undefined);
    for (const item of before) if (item !== undefined) this.#slots[item.id & (this.#slots.length - 1)] = item;
  }
}
