const HELD_MS = 1_000;

/**
 * Keeps memory for a moment after its last use. Fresh memory comes page by page from the kernel, which takes longer
 * than reading a message of 50 MB.
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
