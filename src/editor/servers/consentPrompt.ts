import * as vscode from 'vscode';
import {
  CancellationSource,
  type CancellationToken,
  type ConsentPrompt,
  Deferred,
  type Disposable,
  type Logger,
  messageOf,
  shortQuestion,
  type StartAnswer,
  type StartQuestion,
} from '../../core/index.ts';
import type { Questions } from '../shared/services.ts';
import type { StartReview } from './startReview.ts';
import { notify } from '../shared/notify.ts';

/** Shows a question: as a notification, or by a test's replacement. */
export type Asker = (question: StartQuestion, token: CancellationToken) => Promise<StartAnswer>;

interface Pending {
  readonly question: StartQuestion;
  readonly settle: (answer: StartAnswer) => void;
  /** Number of times shown. Only closing the last notification dismisses the question. */
  shown: number;
  /** Closes its page. */
  readonly token: CancellationToken;
  review: StartReview | undefined;
}

/** Asks with a notification. Notifications disappear, so an open question can be shown again. */
export class NotificationConsent implements ConsentPrompt, Questions, Disposable {
  readonly #pending = new Map<string, Pending>();
  readonly #openSettings: (server: string) => Promise<void>;
  readonly #extensionUri: vscode.Uri;
  readonly #log: Logger;
  #asker: Asker | undefined;

  constructor(openSettings: (server: string) => Promise<void>, extensionUri: vscode.Uri, log: Logger) {
    this.#openSettings = openSettings;
    this.#extensionUri = extensionUri;
    this.#log = log;
  }

  /** Open questions. */
  get waiting(): readonly StartQuestion[] {
    return [...this.#pending.values()].map((pending) => pending.question);
  }

  /** Lets tests answer in place of the user. */
  answerWith(asker: Asker | undefined): void {
    this.#asker = asker;
  }

  async ask(question: StartQuestion, token: CancellationToken): Promise<StartAnswer> {
    if (token.isCancellationRequested) return 'dismissed';
    const answer = await (this.#asker?.(question, token) ?? this.#askUser(question, token));
    if (answer === 'openSettings') this.#handle(this.#openSettings(question.server));
    return answer;
  }

  /** Shows an open question again. Returns false if there is none. */
  showAgain(server: string): boolean {
    const pending = this.#pending.get(server);
    if (pending !== undefined) this.#handle(this.#show(pending));
    return pending !== undefined;
  }

  dispose(): void {
    for (const pending of [...this.#pending.values()]) pending.settle('dismissed');
  }

  async #askUser(question: StartQuestion, token: CancellationToken): Promise<StartAnswer> {
    this.#pending.get(question.server)?.settle('dismissed');
    const answered = new Deferred<StartAnswer>();
    const over = new CancellationSource();
    const settle = (answer: StartAnswer): void => answered.resolve(answer);
    const pending: Pending = { question, settle, shown: 0, token: over.token, review: undefined };
    this.#pending.set(question.server, pending);
    const cancel = token.onCancellationRequested(() => answered.resolve('dismissed'));
    this.#handle(this.#show(pending));
    try {
      return await answered.promise;
    } finally {
      cancel.dispose();
      over.cancel();
      if (this.#pending.get(question.server) === pending) this.#pending.delete(question.server);
    }
  }

  async #show(pending: Pending): Promise<void> {
    if (pending.review !== undefined) return pending.review.reveal();
    const turn = ++pending.shown;
    const start = { title: vscode.l10n.t('Start') };
    const review = { title: vscode.l10n.t('Review…') };
    const settings = { title: vscode.l10n.t('Open Settings') };
    const deny = { title: vscode.l10n.t("Don't Start") };
    const { text, isWhole } = shortQuestion(pending.question);
    // Allowing requires the full question, which only the page can show.
    const buttons = [isWhole ? start : review, settings, deny];
    const ended = vscode.l10n.t('The question has ended. Start the server again.');
    const chosen = await notify({ severity: 'warning', text, buttons, token: pending.token, ended });
    if (chosen === start) pending.settle('start');
    else if (chosen === settings) pending.settle('openSettings');
    else if (chosen === deny) pending.settle('dontStart');
    else if (chosen === review) await this.#review(pending);
    // Showing a notification again closes the old one, which is no answer.
    else if (turn === pending.shown) pending.settle('dismissed');
  }

  async #review(pending: Pending): Promise<void> {
    if (pending.token.isCancellationRequested) return;
    const { reviewStart } = await import('./lazy.ts');
    pending.review ??= reviewStart(this.#extensionUri, pending.question, pending.token);
    pending.settle(await pending.review.answer);
  }

  #handle(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#log.log('error', `A question could not be shown: ${messageOf(error)}`);
    });
  }
}
