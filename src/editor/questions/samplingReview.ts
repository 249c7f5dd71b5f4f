import * as vscode from 'vscode';
import type {
  CancellationToken,
  FormValues,
  SamplingQuestion,
  SamplingRequest,
  SamplingResult,
  ToolForm,
} from '../../core/index.ts';
import type { QuestionView } from '../../webview/form/questionMessages.ts';
import {
  answerForm,
  answerGist,
  answerValues,
  answerView,
  editedAnswer,
  type ModelAnswer,
  shortAnswer,
} from './answerForm.ts';
import { preferredModel } from '../models/modelPreference.ts';
import { plainText } from '../shared/plainText.ts';
import { lifetimeOf } from './questionFields.ts';
import { QuestionPanel } from './questionPanel.ts';
import {
  chosenModel,
  editedRequest,
  promptGist,
  samplingForm,
  samplingValues,
  samplingView,
  shortPrompt,
} from './samplingForm.ts';
import type { SamplingLifetime } from './samplingMemory.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';
import { notify } from '../shared/notify.ts';

/** The user's decision and its lifetime. Closing counts as one refusal. */
type Decision<T> =
  | { readonly kind: 'allowed'; readonly value: T; readonly lifetime: SamplingLifetime }
  | { readonly kind: 'refused'; readonly lifetime: SamplingLifetime };

/** A request that may go to a model, possibly edited. */
export interface AllowedRequest {
  readonly request: SamplingRequest;
  readonly model: vscode.LanguageModelChat | undefined;
}

/** A question as a notification, with a page behind *Review…*. */
interface Review<T> {
  readonly server: string;
  readonly label: string;
  readonly text: string;
  /** The accept button, if the notification shows everything. */
  readonly accept: { readonly label: string; readonly value: T } | undefined;
  readonly decline: string;
  readonly page: {
    readonly name: string;
    readonly form: ToolForm;
    readonly view: QuestionView;
    read(values: FormValues): T;
  };
}

const REFUSED = { kind: 'refused', lifetime: 'once' } as const;

/** Asks the two questions of a sampling request: may a model see the prompt, and may the server get the answer. */
export class SamplingReview {
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri) {
    this.#questions = questions;
    this.#extensionUri = extensionUri;
  }

  request(
    question: SamplingQuestion,
    models: readonly vscode.LanguageModelChat[],
    token: CancellationToken,
  ): Promise<Decision<AllowedRequest>> {
    const { server, request } = question;
    const { preferences } = request;
    const model = models[preferredModel(models, { preferences, model: question.model })];
    const short = shortPrompt(question);
    const form = samplingForm(question, models);
    return this.#ask<AllowedRequest>(
      {
        server,
        label: vscode.l10n.t('Wants to use a language model: {0}', promptGist(question)),
        text: vscode.l10n.t(
          'The server "{0}" wants to use {1}: "{2}"',
          plainText(server, 64),
          plainText(model?.name ?? '', 60),
          inOneLine(short ?? `${promptGist(question)} …`),
        ),
        accept: short === undefined ? undefined : { label: vscode.l10n.t('Allow'), value: { request, model } },
        decline: vscode.l10n.t('Decline'),
        page: {
          name: vscode.l10n.t('Request of {0}', plainText(server, 40)),
          form,
          view: samplingView(question, form, samplingValues(question, models)),
          read: (values) => ({ request: editedRequest(request, values), model: models[chosenModel(values)] }),
        },
      },
      token,
    );
  }

  answer(answer: ModelAnswer, token: CancellationToken): Promise<Decision<SamplingResult>> {
    const { server } = answer.question;
    const short = shortAnswer(answer.result);
    const form = answerForm(answer);
    return this.#ask<SamplingResult>(
      {
        server,
        label: vscode.l10n.t('Waits for the answer of a language model: {0}', answerGist(answer.result)),
        text: vscode.l10n.t(
          '{0} answered the server "{1}": "{2}"',
          plainText(answer.model, 60),
          plainText(server, 64),
          inOneLine(short ?? `${answerGist(answer.result)} …`),
        ),
        accept: short === undefined ? undefined : { label: vscode.l10n.t('Send'), value: answer.result },
        decline: vscode.l10n.t('Discard'),
        page: {
          name: vscode.l10n.t('Answer to {0}', plainText(server, 40)),
          form,
          view: answerView(answer, form, answerValues(answer)),
          read: (values) => editedAnswer(answer.result, values),
        },
      },
      token,
    );
  }

  #ask<T>({ server, label, text, accept, decline, page }: Review<T>, token: CancellationToken): Promise<Decision<T>> {
    let panel: QuestionPanel | undefined;
    const review = async (): Promise<Decision<T>> => {
      panel ??= new QuestionPanel(this.#extensionUri, page, token);
      panel.reveal();
      const answer = await panel.answer;
      if (answer.kind === 'cancel') return REFUSED;
      const lifetime = lifetimeOf(answer.values);
      return answer.kind === 'accept'
        ? { kind: 'allowed', value: page.read(answer.values), lifetime }
        : { kind: 'refused', lifetime };
    };
    const show = async (): Promise<Decision<T> | undefined> => {
      if (panel !== undefined) return review();
      const look = { title: vscode.l10n.t('Review…') };
      const refuse = { title: decline };
      const agree = accept === undefined ? undefined : { title: accept.label, value: accept.value };
      const buttons = agree === undefined ? [look, refuse] : [agree, look, refuse];
      const chosen = await notify({ severity: 'info', text, buttons, token });
      if (chosen === look) return review();
      if (agree !== undefined && chosen === agree) return { kind: 'allowed', value: agree.value, lifetime: 'once' };
      return chosen === refuse ? REFUSED : undefined;
    };
    return this.#questions.ask<Decision<T>>({ server, label, closed: REFUSED, show }, token);
  }
}

function inOneLine(text: string): string {
  return plainText(text.replace(/\s+/g, ' '), 240);
}
