import {
  type CancellationToken,
  Deferred,
  Emitter,
  type Event,
  type Disposable,
  type Logger,
  messageOf,
} from '../../core/index.ts';
import type { ServerQuestions, WaitingQuestion } from '../shared/services.ts';

interface Pending {
  readonly question: WaitingQuestion;
  readonly show: () => void;
  readonly giveUp: () => void;
}

interface AskedQuestion<T> extends WaitingQuestion {
  /** The answer if the question is closed or void. */
  readonly closed: T;
  /** Shows it, possibly again. Resolves with `undefined` if it was closed without an answer. */
  readonly show: () => Promise<T | undefined>;
}

/** Open questions of running servers. Notifications disappear, so each question can be shown again. */
export class WaitingQuestions implements ServerQuestions, Disposable {
  readonly #pending = new Set<Pending>();
  readonly #changed = new Emitter<void>();
  readonly #log: Logger;

  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(log: Logger) {
    this.#log = log;
  }

  get waiting(): readonly WaitingQuestion[] {
    return [...this.#pending].map(({ question }) => question);
  }

  showAgain(server?: string): boolean {
    const again = [...this.#pending].filter(({ question }) => server === undefined || question.server === server);
    for (const pending of again) pending.show();
    return again.length > 0;
  }

  /** Resolves with the answer, or at the end of the question. */
  async ask<T>({ server, label, closed, show }: AskedQuestion<T>, token: CancellationToken): Promise<T> {
    if (token.isCancellationRequested) return closed;
    const answered = new Deferred<T>();
    let shown = 0;
    const present = async (): Promise<void> => {
      const turn = ++shown;
      const answer = await show();
      // Showing a notification again closes the old one, which is no answer.
      if (answer !== undefined || turn === shown) answered.resolve(answer ?? closed);
    };
    const fail = (error: unknown): void => {
      this.#log.log('error', `A question of "${server}" could not be shown: ${messageOf(error)}`);
      answered.resolve(closed);
    };
    const pending: Pending = {
      question: { server, label },
      show: () => void present().catch(fail),
      giveUp: () => answered.resolve(closed),
    };
    const cancel = token.onCancellationRequested(pending.giveUp);
    this.#pending.add(pending);
    this.#changed.fire();
    pending.show();
    try {
      return await answered.promise;
    } finally {
      cancel.dispose();
      this.#pending.delete(pending);
      this.#changed.fire();
    }
  }

  dispose(): void {
    for (const pending of [...this.#pending]) pending.giveUp();
    this.#changed.dispose();
  }
}
