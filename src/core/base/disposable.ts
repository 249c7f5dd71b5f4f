/** An object that holds a resource until it is disposed. Disposing it again has no effect. */
export interface Disposable {
  dispose(): void;
}

/** Receives every created and disposed disposable, so that a test suite can detect leaks. */
interface DisposableTracker {
  created(disposable: Disposable): void;
  disposed(disposable: Disposable): void;
}

let tracker: DisposableTracker | undefined;

/**
 * Adds a tracker (tests only) until the returned disposable is disposed. Earlier trackers still receive every call,
 * because disposables that they saw may be disposed meanwhile.
 */
export function trackDisposables(added: DisposableTracker): Disposable {
  const before = tracker;
  tracker = {
    created: (disposable) => {
      before?.created(disposable);
      added.created(disposable);
    },
    disposed: (disposable) => {
      before?.disposed(disposable);
      added.disposed(disposable);
    },
  };
  return {
    dispose: () => {
      tracker = before;
    },
  };
}

/** Runs `release` on the first disposal only. */
export function toDisposable(release: () => void): Disposable {
  let released = false;
  const disposable: Disposable = {
    dispose: () => {
      if (released) return;
      released = true;
      tracker?.disposed(disposable);
      release();
    },
  };
  tracker?.created(disposable);
  return disposable;
}

/** Owns disposables. Disposes an item at once if it is added after the store was disposed. */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #disposed = false;

  constructor() {
    tracker?.created(this);
  }

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Disposes one item early. */
  release(item: Disposable): void {
    if (this.#items.delete(item)) item.dispose();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    tracker?.disposed(this);
    const items = [...this.#items].reverse();
    this.#items.clear();
    disposeAll(items);
  }
}

/** Disposes all items, even if some throw. Then throws the first error. */
export function disposeAll(items: Iterable<Disposable>): void {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      item.dispose();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
