import * as vscode from 'vscode';
import {
  type CancellationToken,
  collectArguments,
  Deferred,
  type FormValues,
  type ToolForm,
} from '../../core/index.ts';
import { decodeFromQuestionPage, type QuestionView, type ToQuestionPage } from '../../webview/form/questionMessages.ts';
import { questionErrors } from './elicitationView.ts';
import { pageHtml, pageIcon, pageOptions } from '../shared/webviewPage.ts';

type QuestionAnswer =
  /** `values` may contain the lifetime of a refusal. */
  { readonly kind: 'accept' | 'decline'; readonly values: FormValues } | { readonly kind: 'cancel' };

interface PanelQuestion {
  /** Title of the tab. */
  readonly name: string;
  readonly view: QuestionView;
  readonly form: ToolForm;
}

/** A server's question in an editor tab. Closing the tab leaves it unanswered. */
export class QuestionPanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #form: ToolForm;
  readonly #answered = new Deferred<QuestionAnswer>();
  #view: QuestionView;
  #isOver = false;

  constructor(extensionUri: vscode.Uri, { name, view, form }: PanelQuestion, token: CancellationToken) {
    this.#form = form;
    this.#view = view;
    const options = pageOptions(extensionUri);
    const panel = vscode.window.createWebviewPanel('mcpl.question', name, vscode.ViewColumn.Active, options);
    this.#panel = panel;
    panel.iconPath = pageIcon(extensionUri, 'question');
    const messages = panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    const cancel = token.onCancellationRequested(() => this.#settle({ kind: 'cancel' }));
    panel.onDidDispose(() => {
      this.#isOver = true;
      messages.dispose();
      cancel.dispose();
      this.#answered.resolve({ kind: 'cancel' });
    });
    panel.webview.html = pageHtml(panel.webview, extensionUri, {
      name: 'question',
      style: 'toolForm',
      title: 'Question',
    });
  }

  /** The user's answer, after the tab was closed. */
  get answer(): Promise<QuestionAnswer> {
    return this.#answered.promise;
  }

  reveal(): void {
    if (!this.#isOver) this.#panel.reveal();
  }

  #receive(value: unknown): void {
    const message = decodeFromQuestionPage(value);
    if (message === undefined || this.#isOver) return;
    switch (message.type) {
      case 'ready':
        return this.#send({ type: 'question', question: this.#view });
      case 'entered':
        this.#view = { ...this.#view, values: message.values, errors: {} };
        return;
      case 'accept':
        return this.#accept(message.values);
      case 'decline':
        return this.#settle({ kind: 'decline', values: this.#view.values });
      case 'cancel':
        return this.#settle({ kind: 'cancel' });
    }
  }

  #accept(values: FormValues): void {
    this.#view = { ...this.#view, values };
    const collected = collectArguments(this.#form, values);
    if (collected.kind === 'arguments') return this.#settle({ kind: 'accept', values });
    const errors = questionErrors(collected.errors, values);
    this.#view = { ...this.#view, errors };
    this.#send({ type: 'errors', errors });
  }

  #settle(answer: QuestionAnswer): void {
    this.#answered.resolve(answer);
    if (!this.#isOver) this.#panel.dispose();
  }

  #send(message: ToQuestionPage): void {
    void this.#panel.webview.postMessage(message);
  }
}
