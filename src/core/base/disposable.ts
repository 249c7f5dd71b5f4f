/** Something that holds a resource until it is told to let go. Disposing twice is harmless. */
export interface Disposable {
  dispose(): void;
}

/** Notified of every new and every disposed disposable, so that a test suite can detect leaks. */
interface DisposableTracker {
  created(disposable: Disposable): void;
  disposed(disposable: Disposable): void;
}

let tracker: DisposableTracker | undefined;

/**
 * Adds a tracker (tests only) until the returned disposable ends. The trackers before it keep receiving every call:
 * what they saw created may end while this one is installed.
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

/** Runs `release` once, however often it is disposed. */
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

/** Owns disposables: register where you create. A disposable that is added after the end is disposed at once. */
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

/** Disposes all of them even when some throw; the first error is thrown at the end. */
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
