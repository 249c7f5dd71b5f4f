import * as vscode from 'vscode';
import {
  type CancellationToken,
  type ConsentPrompt,
  Deferred,
  type Disposable,
  type Logger,
  messageOf,
  type StartAnswer,
  type StartQuestion,
} from '../core/index.ts';
import { contributorText } from './contributorText.ts';
import { plainText } from './plainText.ts';
import type { Questions } from './services.ts';
import { WholeText } from './wholeText.ts';

/** The editor cuts longer notifications, and what is cut off is what a hostile command line would hide there. */
const LONGEST_TARGET = 600;
const LONGEST_REMARKS = 300;

/** How a question reaches a person: a notification, or what a test puts in its place. */
export type Asker = (question: StartQuestion, token: CancellationToken) => Promise<StartAnswer>;

interface Pending {
  readonly question: StartQuestion;
  readonly settle: (answer: StartAnswer) => void;
  /** Counts how often it was shown: only the closing of the last notification says that nobody wants to answer. */
  shown: number;
  reviewed: boolean;
}

/** Asks by a notification that blocks nothing. Toasts hide themselves, so a waiting question can be shown again. */
export class NotificationConsent implements ConsentPrompt, Questions, Disposable {
  readonly #pending = new Map<string, Pending>();
  readonly #openSettings: (server: string) => Promise<void>;
  readonly #log: Logger;
  readonly #whole = new WholeText();
  #asker: Asker | undefined;

  constructor(openSettings: (server: string) => Promise<void>, log: Logger) {
    this.#openSettings = openSettings;
    this.#log = log;
  }

  /** Questions that wait for an answer now. */
  get waiting(): readonly StartQuestion[] {
    return [...this.#pending.values()].map((pending) => pending.question);
  }

  /** Tests answer in place of a person. */
  answerWith(asker: Asker | undefined): void {
    this.#asker = asker;
  }

  async ask(question: StartQuestion, token: CancellationToken): Promise<StartAnswer> {
    if (token.isCancellationRequested) return 'dismissed';
    const answer = await (this.#asker?.(question, token) ?? this.#askPerson(question, token));
    if (answer === 'openSettings') this.#handle(this.#openSettings(question.server));
    return answer;
  }

  /** Shows a waiting question again; false when none waits. */
  showAgain(server: string): boolean {
    const pending = this.#pending.get(server);
    if (pending !== undefined) this.#handle(this.#show(pending));
    return pending !== undefined;
  }

  dispose(): void {
    this.#whole.dispose();
    for (const pending of [...this.#pending.values()]) pending.settle('dismissed');
  }

  async #askPerson(question: StartQuestion, token: CancellationToken): Promise<StartAnswer> {
    this.#pending.get(question.server)?.settle('dismissed');
    const answered = new Deferred<StartAnswer>();
    const pending: Pending = { question, settle: (answer) => answered.resolve(answer), shown: 0, reviewed: false };
    this.#pending.set(question.server, pending);
    const cancel = token.onCancellationRequested(() => answered.resolve('dismissed'));
    this.#handle(this.#show(pending));
    try {
      return await answered.promise;
    } finally {
      cancel.dispose();
      if (this.#pending.get(question.server) === pending) this.#pending.delete(question.server);
    }
  }

  async #show(pending: Pending): Promise<void> {
    const turn = ++pending.shown;
    const { question } = pending;
    const start = vscode.l10n.t('Start');
    const review = vscode.l10n.t('Show Whole Question');
    const settings = vscode.l10n.t('Open Settings');
    const deny = vscode.l10n.t("Don't Start");
    const whole = questionText(question);
    // Nobody can allow what the notification had no room for.
    const allow = pending.reviewed || isShort(question) ? start : review;
    const text = isShort(question) ? whole : shortened(question, pending.reviewed);
    const chosen = await vscode.window.showWarningMessage(text, allow, settings, deny);
    if (chosen === start) pending.settle('start');
    else if (chosen === settings) pending.settle('openSettings');
    else if (chosen === deny) pending.settle('dontStart');
    else if (chosen === review) await this.#review(pending, whole);
    // Showing a notification again closes the one before it, which is no answer.
    else if (turn === pending.shown) pending.settle('dismissed');
  }

  async #review(pending: Pending, text: string): Promise<void> {
    await this.#whole.show(pending.question.server, text);
    pending.reviewed = true;
    await this.#show(pending);
  }

  #handle(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#log.log('error', `A question could not be shown: ${messageOf(error)}`);
    });
  }
}

function isShort(question: StartQuestion): boolean {
  const target = plainText(question.target, Infinity).length + (question.cwd?.length ?? 0);
  return target <= LONGEST_TARGET && plainText(question.remarks.join(' '), Infinity).length <= LONGEST_REMARKS;
}

function questionText(question: StartQuestion): string {
  const target = plainText(question.target, Infinity);
  const where = question.cwd === undefined ? '' : vscode.l10n.t(' (in {0})', plainText(question.cwd, Infinity));
  const remarks = question.remarks.map((remark) => plainText(remark, Infinity)).join(' ');
  // Without a mark between them a remark reads like more arguments.
  return `${opening(question)} ${target}${where}${remarks === '' ? '' : ` — ${remarks}`}`;
}

function shortened(question: StartQuestion, reviewed: boolean): string {
  const target = plainText(question.target, LONGEST_TARGET / 2);
  const hint = reviewed
    ? vscode.l10n.t('All of it is in the editor that was opened.')
    : vscode.l10n.t('It is longer than this message can show.');
  return `${opening(question)} ${target} ${hint}`;
}

function opening(question: StartQuestion): string {
  const server = plainText(question.server, 100);
  const { contributor } = question;
  if (contributor !== undefined) return contributedOpening(question, server, contributorText(contributor));
  switch (question.reason) {
    case 'first':
      return vscode.l10n.t('Start the server "{0}" that this workspace defines?', server);
    case 'changed':
      return vscode.l10n.t('Start the server "{0}", whose definition in this workspace changed?', server);
    case 'widened':
      return vscode.l10n.t('Start the server "{0}", to which this workspace now grants more?', server);
  }
}

function contributedOpening({ reason }: StartQuestion, server: string, who: string): string {
  switch (reason) {
    case 'first':
      return vscode.l10n.t('Start the server "{0}" that the extension {1} contributes?', server, who);
    case 'changed':
      return vscode.l10n.t('Start the server "{0}", whose definition by the extension {1} changed?', server, who);
    case 'widened':
      return vscode.l10n.t('Start the server "{0}", to which the extension {1} now grants more?', server, who);
  }
}
