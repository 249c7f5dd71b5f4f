import * as vscode from 'vscode';
import type { CancellationToken, FormAnswer, FormQuestion, FormValues } from '../../core/index.ts';
import { formView } from './elicitationView.ts';
import { FormSteps, type Stepped, stepFields } from './formSteps.ts';
import { FormWizard } from './formWizard.ts';
import { plainLine, plainText } from '../shared/plainText.ts';
import { QuestionPanel } from './questionPanel.ts';
import { notify } from '../shared/notify.ts';

/** The editor truncates longer notifications. */
const MAX_MESSAGE = 300;

/** A server's form: first a notification, then one step per field, or a page if steps are not suitable. */
export class FormDialog {
  readonly #extensionUri: vscode.Uri;
  readonly #question: FormQuestion;
  readonly #token: CancellationToken;
  readonly #steps: FormSteps | undefined;
  #panel: QuestionPanel | undefined;
  #running: Promise<FormAnswer | undefined> | undefined;

  constructor(extensionUri: vscode.Uri, question: FormQuestion, token: CancellationToken) {
    this.#extensionUri = extensionUri;
    this.#question = question;
    this.#token = token;
    const fields = stepFields(question);
    this.#steps = fields === undefined ? undefined : new FormSteps(question, fields);
  }

  /** Shows it, possibly again. Resolves with `undefined` if it was closed without an answer. */
  async show(): Promise<FormAnswer | undefined> {
    // A rejected answer is corrected at once.
    if (this.#panel !== undefined || isAgain(this.#question)) return this.#openPage(this.#question.values);
    if (this.#running !== undefined) return this.#running;
    const answer = {
      title: this.#steps?.wasTouched === true ? vscode.l10n.t('Continue') : vscode.l10n.t('Answer'),
    };
    const decline = { title: vscode.l10n.t('Decline') };
    const buttons = [answer, decline];
    const chosen = await notify({ severity: 'info', text: this.#text(), buttons, token: this.#token });
    if (chosen === answer) return this.#open();
    return chosen === decline ? { kind: 'decline' } : undefined;
  }

  #text(): string {
    const { server, message } = this.#question;
    const asks = vscode.l10n.t('The server "{0}" asks: {1}', plainText(server, 64), plainLine(message, MAX_MESSAGE));
    if (this.#steps?.wasTouched !== true) return asks;
    return vscode.l10n.t('{0} Your input is kept. Continue, or close this notification to cancel.', asks);
  }

  #open(): Promise<FormAnswer | undefined> {
    if (this.#steps === undefined) return this.#openPage(this.#question.values);
    this.#running ??= this.#step(this.#steps);
    return this.#running;
  }

  async #step(steps: FormSteps): Promise<FormAnswer | undefined> {
    const { server, message } = this.#question;
    const title = vscode.l10n.t('"{0}" asks: {1}', plainText(server, 40), plainLine(message, MAX_MESSAGE));
    let ended: Stepped;
    try {
      ended = await steps.run(new FormWizard(title, this.#token));
    } finally {
      this.#running = undefined;
    }
    if (this.#token.isCancellationRequested) return { kind: 'cancel' };
    switch (ended.kind) {
      case 'accept':
        return { kind: 'accept', values: ended.values };
      case 'decline':
        return { kind: 'decline' };
      case 'form':
        return this.#openPage(ended.values);
      case 'cancel':
        // Another quick input also closes it, so entered values must survive.
        return steps.wasTouched ? this.show() : undefined;
    }
  }

  async #openPage(values: FormValues): Promise<FormAnswer> {
    const name = vscode.l10n.t('Question of {0}', plainText(this.#question.server, 40));
    const { form } = this.#question;
    const view = formView({ ...this.#question, values });
    this.#panel ??= new QuestionPanel(this.#extensionUri, { name, view, form }, this.#token);
    this.#panel.reveal();
    const answer = await this.#panel.answer;
    return answer.kind === 'decline' ? { kind: 'decline' } : answer;
  }
}

/** Then the remarks contain the errors. */
function isAgain({ errors, remarks, sensitive }: FormQuestion): boolean {
  return Object.keys(errors).length > 0 || remarks.length > (sensitive.length > 0 ? 1 : 0);
}
