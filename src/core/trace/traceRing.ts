import type { TraceEntry } from './traceEntry.ts';

export interface RingLimits {
  readonly count: number;
  /** Characters of all texts together. */
  readonly characters: number;
}

/** The newest entries within the limits. Their numbers have no gaps. */
export class TraceRing {
  readonly #limits: RingLimits;
  #entries: (TraceEntry | undefined)[] = [];
  /** Index of the oldest entry. Shifting the array for each removed entry would take linear time. */
  #start = 0;
  #characters = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.length - this.#start;
  }

  get characters(): number {
    return this.#characters;
  }

  /** Number of the oldest entry, or `undefined` if the ring is empty. */
  get first(): number | undefined {
    return this.#entries[this.#start]?.n;
  }

  push(entry: TraceEntry): void {
    this.#entries.push(entry);
    this.#characters += entry.text.length;
    // Keeps the newest entry, whatever its size.
    while (this.size > 1 && (this.size > this.#limits.count || this.#characters > this.#limits.characters))
      this.#leave();
    if (this.#start > 1_000 && this.#start > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  get(n: number): TraceEntry | undefined {
    const { first } = this;
    return first === undefined || n < first ? undefined : this.#entries[this.#start + n - first];
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#characters = 0;
  }

  #leave(): void {
    this.#characters -= this.#entries[this.#start]?.text.length ?? 0;
    this.#entries[this.#start++] = undefined;
  }
}
