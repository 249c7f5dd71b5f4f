import { Deferred, KeyedQueue } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';

interface QuestionQueueOptions {
  readonly clock: Clock;
  /** Maximum questions open and waiting at once. Further ones are not asked. */
  readonly limit: number;
  /** How long one question is shown. */
  readonly timeoutMs: number;
}

export type Asked<T> =
  | { readonly kind: 'answered'; readonly value: T }
  /** Too many questions are already waiting. */
  | { readonly kind: 'full' }
  | { readonly kind: 'cancelled' }
  /** No answer arrived in time. */
  | { readonly kind: 'late' };

/** Shows the questions of one server to the user one after the other, and limits their number. */
export class QuestionQueue {
  readonly #options: QuestionQueueOptions;
  readonly #turns = new KeyedQueue();
  #open = 0;

  constructor(options: QuestionQueueOptions) {
    this.#options = options;
  }

  /**
   * The question's token is cancelled on cancellation by the caller or on timeout. The queue does not wait for it
   * afterwards.
   */
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
      // A dialog that ignores its token must not block the next question.
      return await Promise.race([ended, answered]);
    } finally {
      patience.dispose();
    }
  }
}
