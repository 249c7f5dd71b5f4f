/** Runs at most `permits` tasks at once. The others wait in order of arrival. */
export class Semaphore {
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #permits: number;

  constructor(permits: number, maxWaiting: number) {
    this.#permits = permits;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether the queue is full. Callers check this before they add a task. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#maxWaiting;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#permits > 0) this.#permits--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#permits++;
      else next();
    }
  }
}
