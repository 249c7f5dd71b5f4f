import { type Disposable, toDisposable } from './disposable.ts';

export type Event<T> = (listener: (value: T) => void) => Disposable;

/** An object per subscription, so that one function can subscribe twice. */
interface Subscription<T> extends Disposable {
  readonly listener: (value: T) => void;
  ended: boolean;
}

/** A source of events. A listener that throws does not affect the others. */
export class Emitter<T> implements Disposable {
  /** Replaced instead of modified, so that firing, which is frequent, need not copy it. */
  #subscriptions: readonly Subscription<T>[] = [];
  readonly #onError: (error: unknown) => void;
  #disposed = false;

  constructor(onError: (error: unknown) => void = () => undefined) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    if (this.#disposed) return toDisposable(() => undefined);
    const ending = toDisposable(() => {
      subscription.ended = true;
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    });
    const subscription: Subscription<T> = { listener, ended: false, dispose: () => ending.dispose() };
    this.#subscriptions = [...this.#subscriptions, subscription];
    return subscription;
  };

  get hasListeners(): boolean {
    return this.#subscriptions.length > 0;
  }

  fire(value: T): void {
    for (const subscription of this.#subscriptions) {
      // An earlier listener may have disposed this one.
      if (subscription.ended) continue;
      try {
        subscription.listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Ends every subscription, so that remaining references hold nothing. */
  dispose(): void {
    this.#disposed = true;
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
