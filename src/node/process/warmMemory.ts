const HELD_MS = 1_000;

/**
 * Holds memory for a moment after its last use, so that what comes soon can use it again: the kernel hands fresh memory
 * out page by page, which for a message of 50 MB takes longer than to read it.
 */
export class WarmMemory {
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #held: Uint8Array | undefined;

  constructor(ms: number = HELD_MS) {
    this.#ms = ms;
  }

  get held(): Uint8Array | undefined {
    return this.#held;
  }

  hold(memory: Uint8Array): void {
    this.#held = memory;
    this.#timer ??= setTimeout(() => (this.#held = undefined), this.#ms).unref();
    this.#timer.refresh();
  }
}
