import { type Disposable, toDisposable } from './disposable.ts';

export type Event<T> = (listener: (value: T) => void) => Disposable;

interface Subscription<T> extends Disposable {
  readonly listener: (value: T) => void;
}

/** A source of events. One listener that throws keeps no other from hearing. */
export class Emitter<T> implements Disposable {
  // A record for each subscription, so that one function may listen twice.
  readonly #subscriptions = new Set<Subscription<T>>();
  readonly #onError: (error: unknown) => void;
  #disposed = false;

  constructor(onError: (error: unknown) => void = () => undefined) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    if (this.#disposed) return toDisposable(() => undefined);
    const ending = toDisposable(() => this.#subscriptions.delete(subscription));
    const subscription: Subscription<T> = { listener, dispose: () => ending.dispose() };
    this.#subscriptions.add(subscription);
    return subscription;
  };

  get hasListeners(): boolean {
    return this.#subscriptions.size > 0;
  }

  fire(value: T): void {
    for (const subscription of [...this.#subscriptions]) {
      // An earlier listener may have ended this one.
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription.listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Ends every subscription too: what is left of them holds nothing. */
  dispose(): void {
    this.#disposed = true;
    for (const subscription of [...this.#subscriptions]) subscription.dispose();
  }
}
