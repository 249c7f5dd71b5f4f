import { cancelled, ignoreFailure } from '../../core/index.ts';

interface Shared<T> {
  readonly abort: AbortController;
  readonly result: Promise<T>;
  waiting: number;
}

/** One piece of work for all who want it at the same time; given up when none of them wants it any more. */
export class SharedWork<T> {
  readonly #running = new Map<string, Shared<T>>();

  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw cancelled('Signing in');
    const shared = this.#running.get(key) ?? this.#start(key, work);
    shared.waiting++;
    let leave: () => void = () => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(cancelled('Signing in'));
      signal.addEventListener('abort', leave);
    });
    try {
      return await Promise.race([shared.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (--shared.waiting === 0) {
        shared.abort.abort();
        if (this.#running.get(key) === shared) this.#running.delete(key);
      }
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController();
    const shared: Shared<T> = { abort, result: work(abort.signal), waiting: 0 };
    this.#running.set(key, shared);
    // Whoever comes when it is done wants it done again.
    const end = (): void => {
      if (this.#running.get(key) === shared) this.#running.delete(key);
    };
    ignoreFailure(shared.result.finally(end));
    return shared;
  }
}
