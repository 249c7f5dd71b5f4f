/** Creates a value on first use and keeps it, because most programs never need it or the module must load fast. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

export interface AsyncLazy<T> {
  /** The value. Set as soon as it is created. */
  readonly value: T | undefined;
  /** Whether a load is under way or has succeeded. */
  readonly isStarted: boolean;
  get(): Promise<T>;
}

/**
 * Loads something on first use, usually a module, and creates a value from it. Concurrent callers share one load. After
 * a failure, the next call tries again.
 */
export function asyncLazy<L, T>(load: () => Promise<L>, make: (loaded: L) => T): AsyncLazy<T> {
  let promise: Promise<T> | undefined;
  let value: T | undefined;
  const start = async (): Promise<T> => {
    const loaded = await load();
    return (value = make(loaded));
  };
  return {
    get value() {
      return value;
    },
    get isStarted() {
      return promise !== undefined;
    },
    get: () =>
      (promise ??= start().catch((error: unknown) => {
        promise = undefined;
        throw error;
      })),
  };
}
