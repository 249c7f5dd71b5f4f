import * as vscode from 'vscode';
import type {
  CancellationToken,
  Elicitor,
  FormAnswer,
  FormQuestion,
  UrlAnswer,
  UrlQuestion,
} from '../../core/index.ts';
import { FormDialog } from './formDialog.ts';
import { openLink } from '../shared/links.ts';
import { plainLine, plainText } from '../shared/plainText.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';
import { notify } from '../shared/notify.ts';

/** The editor truncates longer notifications. */
const MAX_MESSAGE = 300;

/** Shows servers' questions to the user: first a notification, then the question itself. */
export class EditorElicitor implements Elicitor {
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri) {
    this.#questions = questions;
    this.#extensionUri = extensionUri;
  }

  form(question: FormQuestion, token: CancellationToken): Promise<FormAnswer> {
    const dialog = new FormDialog(this.#extensionUri, question, token);
    const show = (): Promise<FormAnswer | undefined> => dialog.show();
    const { server, message } = question;
    return this.#questions.ask<FormAnswer>({ server, label: message, closed: { kind: 'cancel' }, show }, token);
  }

  url(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
    const show = async (): Promise<UrlAnswer | undefined> => {
      const look = { title: vscode.l10n.t('Show Link…') };
      const decline = { title: vscode.l10n.t('Decline') };
      const { server, host, message } = question;
      const text = vscode.l10n.t(
        '{0} wants you to visit {1}: {2}',
        quoted(server),
        plainText(host, 100),
        plainLine(message, MAX_MESSAGE),
      );
      const chosen = await notify({ severity: 'info', text, buttons: [look, decline], token });
      if (chosen === look) return confirmLink(question, token);
      return chosen === decline ? 'decline' : undefined;
    };
    const { server, message } = question;
    return this.#questions.ask<UrlAnswer>({ server, label: message, closed: 'cancel', show }, token);
  }

  finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'> {
    const { server, host } = question;
    const show = async (): Promise<'continue' | 'cancel' | undefined> => {
      const text = vscode.l10n.t('{0} waits until you are done at {1}.', quoted(server), plainText(host, 100));
      const chosen = await notify({
        severity: 'info',
        text,
        buttons: [
          { title: vscode.l10n.t('Continue'), answer: 'continue' },
          { title: vscode.l10n.t('Cancel'), answer: 'cancel' },
        ],
        token,
      });
      return chosen?.answer;
    };
    const label = vscode.l10n.t('Waits until you are done at {0}', host);
    return this.#questions.ask<'continue' | 'cancel'>({ server, label, closed: 'cancel', show }, token);
  }

  finished({ server, host }: UrlQuestion): void {
    const text = vscode.l10n.t('{0}: you are done at {1}.', quoted(server), plainText(host, 100));
    void notify({ severity: 'info', text });
  }
}

/** Modal, because the user must see the address before it opens. */
async function confirmLink(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
  const open = { title: vscode.l10n.t('Open') };
  const copy = { title: vscode.l10n.t('Copy Link') };
  const decline = { title: vscode.l10n.t('Decline') };
  const text = vscode.l10n.t('Open this page for the server "{0}"?', plainText(question.server, 64));
  const modalDetail = [
    plainText(question.url, Infinity),
    vscode.l10n.t('Host: {0}', plainText(question.host, 300)),
    ...question.remarks.map((remark) => plainText(remark)),
    vscode.l10n.t('The server says: {0}', plainLine(question.message, MAX_MESSAGE)),
  ].join('\n\n');
  for (;;) {
    const chosen = await notify({ severity: 'warning', text, modalDetail, buttons: [open, copy, decline], token });
    if (chosen === open) return (await openLink(question.url)) ? 'accept' : 'cancel';
    if (chosen === decline) return 'decline';
    if (chosen !== copy) return 'cancel';
    await vscode.env.clipboard.writeText(question.url);
  }
}

function quoted(server: string): string {
  return vscode.l10n.t('The server "{0}"', plainText(server, 64));
}
