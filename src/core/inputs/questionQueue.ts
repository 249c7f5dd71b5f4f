import { Deferred, KeyedQueue } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';

export interface QuestionQueueOptions {
  readonly clock: Clock;
  /** How many may be open and waiting at once; what comes on top is not asked. */
  readonly limit: number;
  /** How long one question is shown. */
  readonly timeoutMs: number;
}

export type Asked<T> =
  | { readonly kind: 'answered'; readonly value: T }
  /** Too many wait already. */
  | { readonly kind: 'full' }
  | { readonly kind: 'cancelled' }
  /** There was no answer in time. */
  | { readonly kind: 'late' };

/** Puts the questions of one server to the person one after the other, and no flood of them. */
export class QuestionQueue {
  readonly #options: QuestionQueueOptions;
  readonly #turns = new KeyedQueue();
  #open = 0;

  constructor(options: QuestionQueueOptions) {
    this.#options = options;
  }

  /** The question's token is cancelled when its asker gave up or its time is over; it is then not waited for. */
  async ask<T>(token: CancellationToken, question: (token: CancellationToken) => Promise<T>): Promise<Asked<T>> {
    if (token.isCancellationRequested) return { kind: 'cancelled' };
    if (this.#open >= this.#options.limit) return { kind: 'full' };
    const source = new CancellationSource();
    const ended = new Deferred<Asked<T>>();
    const end = (kind: 'cancelled' | 'late'): void => {
      ended.resolve({ kind });
      source.cancel();
    };
    const subscription = token.onCancellationRequested(() => end('cancelled'));
    this.#open++;
    try {
      const turn = this.#turns.run('', () => this.#show(source, ended.promise, () => end('late'), question));
      return await Promise.race([ended.promise, turn]);
    } finally {
      this.#open--;
      subscription.dispose();
      source.dispose();
    }
  }

  async #show<T>(
    source: CancellationSource,
    ended: Promise<Asked<T>>,
    expire: () => void,
    question: (token: CancellationToken) => Promise<T>,
  ): Promise<Asked<T>> {
    if (source.isCancelled) return ended;
    const patience = this.#options.clock.delay(this.#options.timeoutMs, expire);
    try {
      const answered = question(source.token).then((value): Asked<T> => ({ kind: 'answered', value }));
      // A dialog that does not heed its token keeps no other question waiting.
      return await Promise.race([ended, answered]);
    } finally {
      patience.dispose();
    }
  }
}
