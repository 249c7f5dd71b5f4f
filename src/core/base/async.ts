/** A promise that is settled from outside. Settling it again has no effect. */
export class Deferred<T> {
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;
  readonly promise: Promise<T> = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

/** Runs tasks with the same key one after the other, and tasks with different keys in parallel. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(task);
    // Never rejects: only the caller of a task gets its failure.
    const tail = result.catch(() => undefined);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }
}

/** Marks a promise as intentionally not awaited, because its failure is handled elsewhere. */
export function ignoreFailure(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
