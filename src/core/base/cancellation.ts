import { type Disposable, toDisposable } from './disposable.ts';
import { cancelled } from './errors.ts';
import { Emitter, type Event } from './event.ts';

/** The same shape as the editor's tokens, which can be passed unchanged. */
export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: Event<unknown>;
}

/** Never cancelled. */
export const NO_CANCELLATION: CancellationToken = {
  isCancellationRequested: false,
  onCancellationRequested: () => toDisposable(() => undefined),
};

/**
 * Resolves like the work, or rejects as soon as the token is cancelled. Work that ignores the token continues, and its
 * result is dropped.
 */
export async function unlessCancelled<T>(work: Promise<T>, token: CancellationToken, what: string): Promise<T> {
  let subscription: Disposable | undefined;
  const ended = new Promise<never>((_, reject) => {
    subscription = token.onCancellationRequested(() => reject(cancelled(what)));
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    subscription?.dispose();
  }
}

export class CancellationSource implements Disposable {
  readonly #emitter = new Emitter<string | undefined>();
  #cancelled = false;
  #reason: string | undefined;

  readonly token: CancellationToken = ((): CancellationToken => {
    const isCancelled = (): boolean => this.#cancelled;
    return {
      get isCancellationRequested() {
        return isCancelled();
      },
      onCancellationRequested: (listener) => {
        if (!this.#cancelled) return this.#emitter.event(listener);
        listener(this.#reason);
        return toDisposable(() => undefined);
      },
    };
  })();

  get isCancelled(): boolean {
    return this.#cancelled;
  }

  cancel(reason?: string): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#emitter.fire(reason);
    this.#emitter.dispose();
  }

  dispose(): void {
    this.#emitter.dispose();
  }
}

/** Runs work with a token that is cancelled with the first of these. */
export async function withEither<T>(
  one: CancellationToken,
  other: CancellationToken,
  work: (token: CancellationToken) => Promise<T>,
): Promise<T> {
  const source = new CancellationSource();
  const subscriptions = [one, other].map(({ onCancellationRequested }) =>
    onCancellationRequested((reason) => source.cancel(typeof reason === 'string' ? reason : undefined)),
  );
  try {
    return await work(source.token);
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
    source.dispose();
  }
}
