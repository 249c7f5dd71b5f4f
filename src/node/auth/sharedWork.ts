import { cancelled, ignoreFailure } from '../../core/index.ts';

/** Called when the work starts to wait for the user, and when the wait ends. */
export type OnWaiting = (isWaiting: boolean) => void;

interface Shared<T> {
  readonly abort: AbortController;
  readonly result: Promise<T>;
  /** All current callers. */
  readonly sharers: Set<OnWaiting>;
  isWaiting: boolean;
}

/** Shares one piece of work between concurrent callers. Cancels it when the last caller leaves. */
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
    // A wrapper per caller, because two callers may pass the same function.
    const tell: OnWaiting = (isWaiting) => onWaiting(isWaiting);
    shared.sharers.add(tell);
    // A caller that joins during a wait must pause its deadline too.
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
    // Deferred, because the work may start waiting at once.
    const result = Promise.resolve().then(() => work(abort.signal, onWaiting));
    const shared: Shared<T> = { abort, result, sharers, isWaiting: false };
    this.#running.set(key, shared);
    // Callers after the end start new work.
    const end = (): void => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    ignoreFailure(shared.result.finally(end));
    return shared;
  }
}
