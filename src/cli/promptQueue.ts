import { type AuthPrompt, type CancellationToken, type Elicitor, KeyedQueue } from '../core/index.ts';

/** Asks one question at a time, so that an answer never goes to a later question. */
export class PromptQueue {
  readonly #queue = new KeyedQueue();

  take<T>(question: () => Promise<T>): Promise<T> {
    return this.#queue.run('', question);
  }
}

/** Skips questions that became void in the queue. */
export function elicitorInTurn(elicitor: Elicitor, turns: PromptQueue): Elicitor {
  return {
    form: (question, token) => unlessVoid(turns, token, { kind: 'cancel' }, () => elicitor.form(question, token)),
    url: (question, token) => unlessVoid(turns, token, 'cancel', () => elicitor.url(question, token)),
    finish: (question, token) => unlessVoid(turns, token, 'cancel', () => elicitor.finish(question, token)),
    finished: (question) => elicitor.finished(question),
  };
}

export function authPromptInTurn(prompt: AuthPrompt, turns: PromptQueue): AuthPrompt {
  return {
    consent: (question, token) => unlessVoid(turns, token, false, () => prompt.consent(question, token)),
    askClient: (question, token) =>
      unlessVoid(turns, token, undefined, async () => prompt.askClient?.(question, token)),
  };
}

function unlessVoid<T>(turns: PromptQueue, token: CancellationToken, otherwise: T, ask: () => Promise<T>): Promise<T> {
  return turns.take(() => (token.isCancellationRequested ? Promise.resolve(otherwise) : ask()));
}
