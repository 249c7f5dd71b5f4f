import { type Disposable, toDisposable } from './disposable.ts';
import { cancelled } from './errors.ts';
import { Emitter, type Event } from './event.ts';

/** Same shape as the editor's, so that its tokens can be handed in as they are. */
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
 * What the work gives, or a rejection as soon as it is cancelled, whether or not the work heeds that: it then goes on
 * unheard.
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

/** A token that is cancelled with the first of these, for as long as the work takes. */
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
