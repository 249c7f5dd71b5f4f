import * as vscode from 'vscode';
import {
  type CancellationToken,
  CancellationSource,
  type Logger,
  messageOf,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  type SamplingRequest,
} from '../core/index.ts';
import { runModel } from './modelRun.ts';
import { plainText } from './plainText.ts';
import { QuestionPanel } from './questionPanel.ts';
import {
  chosenModel,
  editedRequest,
  preferredModel,
  promptGist,
  samplingForm,
  samplingValues,
  samplingView,
  shortPrompt,
} from './samplingForm.ts';
import { isVoid } from './voidQuestion.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';

/** What the person allowed: this request, perhaps changed, on this model. */
type Approval =
  | {
      readonly kind: 'allowed';
      readonly request: SamplingRequest;
      readonly model: vscode.LanguageModelChat | undefined;
    }
  | { readonly kind: 'declined' };

const DECLINED: Approval = { kind: 'declined' };

/** Runs servers' prompts on the editor's language models, each after the person allowed it. */
export class EditorSampler implements Pick<Sampler, 'sample'> {
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;
  readonly #log: Logger;
  readonly #told = new Set<string>();

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri, log: Logger) {
    this.#questions = questions;
    this.#extensionUri = extensionUri;
    this.#log = log;
  }

  async sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome> {
    const models = await vscode.lm.selectChatModels();
    if (models.length === 0) return this.#unavailable(question, NO_MODEL);
    const approval = await this.#approve(question, models, token);
    if (approval.kind === 'declined' || token.isCancellationRequested) return { kind: 'declined' };
    if (approval.model === undefined) return this.#unavailable(question, NO_MODEL);
    return this.#run(question, approval.model, approval.request, token);
  }

  #approve(
    question: SamplingQuestion,
    models: readonly vscode.LanguageModelChat[],
    token: CancellationToken,
  ): Promise<Approval> {
    const { server, request } = question;
    let panel: QuestionPanel | undefined;
    const review = async (): Promise<Approval> => {
      if (panel === undefined) {
        const form = samplingForm(request, models);
        const view = samplingView(question, form, samplingValues(request, models));
        const name = vscode.l10n.t('Request of {0}', plainText(server, 40));
        panel = new QuestionPanel(this.#extensionUri, { name, view, form }, token);
      }
      panel.reveal();
      const answer = await panel.answer;
      if (answer.kind !== 'accept') return DECLINED;
      const { values } = answer;
      return { kind: 'allowed', request: editedRequest(request, values), model: models[chosenModel(values)] };
    };
    const show = async (): Promise<Approval | undefined> => {
      if (panel !== undefined) return review();
      const model = models[preferredModel(models, request.preferences.hints)];
      const short = shortPrompt(question);
      const allow = vscode.l10n.t('Allow');
      const look = vscode.l10n.t('Review…');
      const decline = vscode.l10n.t('Decline');
      const choices = short === undefined ? [look, decline] : [allow, look, decline];
      const text = questionText(server, model?.name ?? '', short ?? `${promptGist(question)} …`);
      const chosen = await vscode.window.showInformationMessage(text, ...choices);
      if (isVoid(token, chosen)) return DECLINED;
      if (chosen === look) return review();
      if (chosen === allow) return { kind: 'allowed', request, model };
      return chosen === decline ? DECLINED : undefined;
    };
    const label = vscode.l10n.t('Wants to use a language model: {0}', promptGist(question));
    return this.#questions.ask<Approval>({ server, label, closed: DECLINED, show }, token);
  }

  async #run(
    question: SamplingQuestion,
    model: vscode.LanguageModelChat,
    request: SamplingRequest,
    token: CancellationToken,
  ): Promise<SamplingOutcome> {
    const { server } = question;
    const title = vscode.l10n.t('{0} answers the server "{1}"', plainText(model.name, 60), plainText(server, 64));
    const location = vscode.ProgressLocation.Notification;
    const source = new CancellationSource();
    const ends = token.onCancellationRequested(() => source.cancel());
    try {
      return await vscode.window.withProgress({ location, title, cancellable: true }, async (_, byPerson) => {
        const stops = byPerson.onCancellationRequested(() => source.cancel());
        try {
          const result = await runModel(model, server, request, source.token);
          return source.isCancelled ? { kind: 'declined' as const } : { kind: 'answered' as const, result };
        } finally {
          stops.dispose();
        }
      });
    } catch (error) {
      if (source.isCancelled) return { kind: 'declined' };
      return this.#unavailable(question, reasonOf(error), error);
    } finally {
      ends.dispose();
      source.dispose();
    }
  }

  /** The server hears what kind of reason it was; the person and the log hear all of it. */
  #unavailable({ server }: SamplingQuestion, reason: string, error?: unknown): SamplingOutcome {
    const detail = error === undefined ? '' : ` ${messageOf(error)}`;
    this.#log.log('warn', `The server "${server}" got no answer from a language model. ${reason}${detail}`);
    const text = vscode.l10n.t('The server "{0}" got no answer from a language model.', plainText(server, 64));
    if (!this.#told.has(server)) {
      // A server that keeps asking is told of once, until that was read.
      this.#told.add(server);
      const shown = vscode.window.showWarningMessage(`${text} ${reason}${plainText(detail, 300)}`);
      shown.then(
        () => this.#told.delete(server),
        () => this.#told.delete(server),
      );
    }
    return { kind: 'unavailable', reason };
  }
}

const NO_MODEL = 'This editor has no language model now. Install or sign in to one, then try again.';

function reasonOf(error: unknown): string {
  if (!(error instanceof vscode.LanguageModelError)) return 'The language model failed.';
  switch (error.code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return 'The use of language models was not permitted.';
    case vscode.LanguageModelError.Blocked.name:
      return 'The language model refused, because its quota is used up or its filter was hit.';
    case vscode.LanguageModelError.NotFound.name:
      return 'The language model is not there any more.';
    default:
      return 'The language model failed.';
  }
}

function questionText(server: string, model: string, prompt: string): string {
  return vscode.l10n.t(
    'The server "{0}" wants to use {1}: "{2}"',
    plainText(server, 64),
    plainText(model, 60),
    plainText(prompt.replace(/\s+/g, ' '), 240),
  );
}
