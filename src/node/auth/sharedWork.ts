import { cancelled, ignoreFailure } from '../../core/index.ts';

/** Told when the work begins to wait for a person, and when it no longer does. */
export type OnWaiting = (isWaiting: boolean) => void;

interface Shared<T> {
  readonly abort: AbortController;
  readonly result: Promise<T>;
  /** Everybody who wants it. */
  readonly sharers: Set<OnWaiting>;
  isWaiting: boolean;
}

/** One piece of work for all who want it at the same time; given up when none of them wants it any more. */
export class SharedWork<T> {
  readonly #running = new Map<string, Shared<T>>();

  async run(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal, onWaiting: OnWaiting) => Promise<T>,
    onWaiting: OnWaiting = () => undefined,
  ): Promise<T> {
    if (signal.aborted) throw cancelled('Signing in');
    const shared = this.#running.get(key) ?? this.#start(key, work);
    // One for each that wants it, though two may be the same function.
    const tell: OnWaiting = (isWaiting) => onWaiting(isWaiting);
    shared.sharers.add(tell);
    // Whoever joins waits for the person as well: its time must not run either.
    if (shared.isWaiting) tell(true);
    let leave: () => void = () => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(cancelled('Signing in'));
      signal.addEventListener('abort', leave);
    });
    try {
      return await Promise.race([shared.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      shared.sharers.delete(tell);
      if (shared.isWaiting) tell(false);
      if (shared.sharers.size === 0) {
        shared.abort.abort();
        if (this.#running.get(key) === shared) this.#running.delete(key);
      }
    }
  }

  #start(key: string, work: (signal: AbortSignal, onWaiting: OnWaiting) => Promise<T>): Shared<T> {
    const abort = new AbortController();
    const sharers = new Set<OnWaiting>();
    const onWaiting: OnWaiting = (isWaiting) => {
      shared.isWaiting = isWaiting;
      for (const tell of sharers) tell(isWaiting);
    };
    // Not before everything is in its place: the work may wait at once.
    const result = Promise.resolve().then(() => work(abort.signal, onWaiting));
    const shared: Shared<T> = { abort, result, sharers, isWaiting: false };
    this.#running.set(key, shared);
    // Whoever comes when it is done wants it done again.
    const end = (): void => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    ignoreFailure(shared.result.finally(end));
    return shared;
  }
}
