import * as vscode from 'vscode';
import type { CancellationToken, Elicitor, FormAnswer, FormQuestion, UrlAnswer, UrlQuestion } from '../core/index.ts';
import { formView } from './elicitationView.ts';
import { openLink } from './links.ts';
import { plainText } from './plainText.ts';
import { QuestionPanel } from './questionPanel.ts';
import { isVoid } from './voidQuestion.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';

/** The editor cuts longer notifications. */
const MAX_MESSAGE = 300;

/** Puts servers' questions to the person: a notification first, which takes nobody's place, then the question itself. */
export class EditorElicitor implements Elicitor {
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri) {
    this.#questions = questions;
    this.#extensionUri = extensionUri;
  }

  form(question: FormQuestion, token: CancellationToken): Promise<FormAnswer> {
    let panel: QuestionPanel | undefined;
    const open = (): Promise<FormAnswer> => {
      const name = vscode.l10n.t('Question of {0}', plainText(question.server, 40));
      panel ??= new QuestionPanel(this.#extensionUri, { name, view: formView(question), form: question.form }, token);
      panel.reveal();
      return panel.answer;
    };
    const show = async (): Promise<FormAnswer | undefined> => {
      // What was just sent and found wrong is corrected at once.
      if (panel !== undefined || Object.keys(question.errors).length > 0 || isAgain(question)) return open();
      const answer = vscode.l10n.t('Answer');
      const decline = vscode.l10n.t('Decline');
      const text = vscode.l10n.t('{0} asks: {1}', quoted(question.server), shown(question.message));
      const chosen = await vscode.window.showInformationMessage(text, answer, decline);
      if (isVoid(token, chosen)) return { kind: 'cancel' };
      if (chosen === answer) return open();
      return chosen === decline ? { kind: 'decline' } : undefined;
    };
    const { server, message } = question;
    return this.#questions.ask<FormAnswer>({ server, label: message, closed: { kind: 'cancel' }, show }, token);
  }

  url(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
    const show = async (): Promise<UrlAnswer | undefined> => {
      const look = vscode.l10n.t('Show Link…');
      const decline = vscode.l10n.t('Decline');
      const { server, host, message } = question;
      const text = vscode.l10n.t(
        '{0} wants you to visit {1}: {2}',
        quoted(server),
        plainText(host, 100),
        shown(message),
      );
      const chosen = await vscode.window.showInformationMessage(text, look, decline);
      if (isVoid(token, chosen)) return 'cancel';
      if (chosen === look) return confirmLink(question, token);
      return chosen === decline ? 'decline' : undefined;
    };
    const { server, message } = question;
    return this.#questions.ask<UrlAnswer>({ server, label: message, closed: 'cancel', show }, token);
  }

  finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'> {
    const { server, host } = question;
    const show = async (): Promise<'continue' | 'cancel' | undefined> => {
      const go = vscode.l10n.t('Continue');
      const stop = vscode.l10n.t('Cancel');
      const text = vscode.l10n.t('{0} waits until you are done at {1}.', quoted(server), plainText(host, 100));
      const chosen = await vscode.window.showInformationMessage(text, go, stop);
      if (chosen === undefined || isVoid(token, chosen)) return undefined;
      return chosen === go ? 'continue' : 'cancel';
    };
    const label = vscode.l10n.t('Waits until you are done at {0}', host);
    return this.#questions.ask<'continue' | 'cancel'>({ server, label, closed: 'cancel', show }, token);
  }

  finished({ server, host }: UrlQuestion): void {
    const text = vscode.l10n.t('{0}: you are done at {1}.', quoted(server), plainText(host, 100));
    void vscode.window.showInformationMessage(text);
  }
}

/** Modal: the person must have seen the address before it is opened. */
async function confirmLink(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
  const open = vscode.l10n.t('Open');
  const copy = vscode.l10n.t('Copy Link');
  const decline = vscode.l10n.t('Decline');
  const message = vscode.l10n.t('Open this page for the server "{0}"?', plainText(question.server, 64));
  const detail = [
    plainText(question.url, Infinity),
    vscode.l10n.t('Host: {0}', plainText(question.host, 300)),
    ...question.remarks.map((remark) => plainText(remark)),
    vscode.l10n.t('The server says: {0}', shown(question.message)),
  ].join('\n\n');
  for (;;) {
    const chosen = await vscode.window.showWarningMessage(message, { modal: true, detail }, open, copy, decline);
    if (isVoid(token, chosen)) return 'cancel';
    if (chosen === open) return (await openLink(question.url)) ? 'accept' : 'cancel';
    if (chosen === decline) return 'decline';
    if (chosen !== copy) return 'cancel';
    await vscode.env.clipboard.writeText(question.url);
  }
}

/** The remarks then say what was wrong. */
function isAgain({ remarks, sensitive }: FormQuestion): boolean {
  return remarks.length > (sensitive.length > 0 ? 1 : 0);
}

function quoted(server: string): string {
  return vscode.l10n.t('The server "{0}"', plainText(server, 64));
}

function shown(message: string): string {
  return plainText(message.replace(/\s+/g, ' ').trim(), MAX_MESSAGE);
}
