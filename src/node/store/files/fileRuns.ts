/** Something long that goes on from one request to the next. */
interface FileRun<R> {
  /** Nothing: it is not done yet. */
  step(): R | undefined;
  /** To be called where it is not brought to its end. */
  leave(): void;
}

/** What is going on, by the name that whoever asks for it gave it. */
export class FileRuns<R> {
  readonly #byName = new Map<string, FileRun<R>>();

  /** Does a step of one that goes on, or the first of a new one. */
  step(name: string, begin: () => FileRun<R>): R | null {
    const run = this.#byName.get(name) ?? begin();
    this.#byName.set(name, run);
    const result = run.step();
    if (result === undefined) return null;
    this.#byName.delete(name);
    return result;
  }

  leave(name: string): void {
    const run = this.#byName.get(name);
    this.#byName.delete(name);
    run?.leave();
  }

  /** The store is closed. */
  close(): void {
    for (const name of [...this.#byName.keys()])
      try {
        this.leave(name);
      } catch {
        // What it left behind is found and cleared away later.
      }
  }
}
