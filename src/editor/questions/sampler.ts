import * as vscode from 'vscode';
import {
  type CancellationToken,
  CancellationSource,
  type Clock,
  Deferred,
  ignoreFailure,
  type Logger,
  messageOf,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  type SamplingResult,
  unlessCancelled,
} from '../../core/index.ts';
import { baseModels } from '../models/baseModels.ts';
import { preferredModel } from '../models/modelPreference.ts';
import { runModel } from '../models/modelRun.ts';
import { plainText } from '../shared/plainText.ts';
import { countedUse, type EndedRun, type Reserved, type SamplingBook } from './samplingBook.ts';
import { type SamplingLifetime, SamplingMemory, type SamplingStage, type SamplingStore } from './samplingMemory.ts';
import { forgetDecisions } from './samplingForget.ts';
import { unsendable } from './samplingPieces.ts';
import { type AllowedRequest, SamplingReview } from './samplingReview.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';

export interface SamplerTools {
  readonly questions: WaitingQuestions;
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly log: Logger;
  /** The editor's memory of this workspace. */
  readonly state: SamplingStore;
  /** Part of the name of the model for servers that name none (`mcpl.inference.model`). */
  readonly model: () => string | undefined;
  readonly book: () => SamplingBook;
}

/** What goes to a model, and the place in the budget that it has where nobody looked at it. */
interface Admitted extends AllowedRequest {
  readonly reserved: Reserved | undefined;
}

const DECLINED: SamplingOutcome = { kind: 'declined' };
/** Whoever asks hears within this time that there is no model; one that starts up meanwhile is there the next time. */
const MODELS_MS = 2_000;

/**
 * Runs servers' prompts on the editor's language models: the person sees each before a model does, and each answer before
 * the server gets it, unless it was decided before that this server needs not ask.
 */
export class EditorSampler implements Pick<Sampler, 'sample'> {
  readonly #tools: SamplerTools;
  readonly #review: SamplingReview;
  readonly #memory: SamplingMemory;
  readonly #told = new Set<string>();

  constructor(tools: SamplerTools) {
    this.#tools = tools;
    this.#review = new SamplingReview(tools.questions, tools.extensionUri);
    this.#memory = new SamplingMemory(tools.state);
  }

  async sample(asked: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome> {
    const { log } = this.#tools;
    const question = { ...asked, model: asked.model ?? this.#tools.model() };
    if (this.#memory.verdict(question, 'request') === 'refuse') {
      log.log('info', `A sampling request of "${question.server}" was refused, as it was decided before.`);
      return DECLINED;
    }
    const problem = unsendable(question.request);
    if (problem !== undefined) return this.#unavailable(question, problem);
    const models = await this.#models(token);
    if (models.length === 0) return this.#unavailable(question, NO_MODEL);
    const admitted = await this.#admit(question, models, token);
    const model = admitted?.model;
    if (admitted === undefined || model === undefined || token.isCancellationRequested) {
      admitted?.reserved?.release();
      return admitted !== undefined && model === undefined ? this.#unavailable(question, NO_MODEL) : DECLINED;
    }
    const ran = await this.#run(question, model, admitted, token);
    if (ran.kind !== 'answered') return ran;
    return token.isCancellationRequested ? DECLINED : this.#deliver(question, model.name, ran.result, token);
  }

  /** *Forget Sampling Permissions*: shows what was decided, of one server or all, and takes back what is chosen. */
  forget(server: string | undefined): Promise<void> {
    return forgetDecisions(this.#memory, server);
  }

  /** What may go to a model, because the person says so now, or said so for as long as the budget lasts. */
  async #admit(
    question: SamplingQuestion,
    models: readonly vscode.LanguageModelChat[],
    token: CancellationToken,
  ): Promise<Admitted | undefined> {
    const { request } = question;
    let asked = question;
    if (this.#memory.verdict(question, 'request') === 'allow') {
      const reserved = await this.#tools.book().reserve(question.server);
      if (reserved.kind === 'reserved') {
        const model = models[preferredModel(models, { preferences: request.preferences, model: question.model })];
        return { request, model, reserved };
      }
      // What was allowed for good ends where the budget does: then a person looks again.
      asked = { ...question, remarks: [...question.remarks, reserved.message] };
    }
    const decision = await this.#review.request(asked, models, token);
    await this.#remember(question, 'request', decision);
    return decision.kind === 'allowed' ? { ...decision.value, reserved: undefined } : undefined;
  }

  /** The server gets what the person has seen, or decided not to look at. */
  async #deliver(
    question: SamplingQuestion,
    model: string,
    result: SamplingResult,
    token: CancellationToken,
  ): Promise<SamplingOutcome> {
    if (this.#memory.verdict(question, 'answer') === 'allow') return { kind: 'answered', result };
    const decision = await this.#review.answer({ question, model, result }, token);
    // An answer that is never sent is not worth asking a model for.
    await this.#remember(question, decision.kind === 'allowed' ? 'answer' : 'request', decision);
    return decision.kind === 'allowed' ? { kind: 'answered', result: decision.value } : DECLINED;
  }

  async #remember(
    question: SamplingQuestion,
    stage: SamplingStage,
    { kind, lifetime }: { readonly kind: 'allowed' | 'refused'; readonly lifetime: SamplingLifetime },
  ): Promise<void> {
    const { clock, log } = this.#tools;
    const verdict = kind === 'allowed' ? 'allow' : 'refuse';
    try {
      await this.#memory.remember(question, { stage, verdict, lifetime, at: clock.now() });
    } catch (error) {
      log.log('error', `A decision about "${question.server}" holds for this one time only: ${messageOf(error)}`);
    }
  }

  async #models(token: CancellationToken): Promise<readonly vscode.LanguageModelChat[]> {
    const none = new Deferred<readonly vscode.LanguageModelChat[]>();
    const patience = this.#tools.clock.delay(MODELS_MS, () => none.resolve([]));
    const cancels = token.onCancellationRequested(() => none.resolve([]));
    try {
      return await Promise.race([none.promise, baseModels()]);
    } finally {
      patience.dispose();
      cancels.dispose();
    }
  }

  async #run(
    question: SamplingQuestion,
    model: vscode.LanguageModelChat,
    { request, reserved }: Admitted,
    token: CancellationToken,
  ): Promise<SamplingOutcome> {
    const { server } = question;
    const title = vscode.l10n.t('{0} answers the server "{1}"', plainText(model.name, 60), plainText(server, 64));
    const location = vscode.ProgressLocation.Notification;
    const source = new CancellationSource();
    const ends = token.onCancellationRequested(() => source.cancel());
    const started = this.#tools.clock.now();
    const used = (outcome: EndedRun['outcome'], result?: SamplingResult): void =>
      this.#record({ server, model, request, result, outcome, at: started }, reserved);
    try {
      return await vscode.window.withProgress({ location, title, cancellable: true }, async (_, byPerson) => {
        const stops = byPerson.onCancellationRequested(() => source.cancel());
        try {
          const result = await unlessCancelled(runModel(model, server, request, source.token), source.token, title);
          used('success', result);
          return { kind: 'answered' as const, result };
        } finally {
          stops.dispose();
        }
      });
    } catch (error) {
      used(source.isCancelled ? 'cancelled' : 'failure');
      return source.isCancelled ? DECLINED : this.#unavailable(question, reasonOf(error), error);
    } finally {
      ends.dispose();
      source.dispose();
    }
  }

  /** Nobody waits for the counting; the place in the budget is free again when it is done. */
  #record(run: EndedRun, reserved: Reserved | undefined): void {
    const { book, clock, log } = this.#tools;
    const recorded = countedUse(run, clock).then((use) => book().record(use));
    recorded.catch((error: unknown) => log.log('warn', `A use of a model was not counted: ${messageOf(error)}`));
    ignoreFailure(recorded.finally(() => reserved?.release()));
  }

  /** The server hears what kind of reason it was; the person and the log hear all of it. */
  #unavailable({ server }: SamplingQuestion, reason: string, error?: unknown): SamplingOutcome {
    const detail = error === undefined ? '' : ` ${messageOf(error)}`;
    this.#tools.log.log('warn', `The server "${server}" got no answer from a language model. ${reason}${detail}`);
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
      return 'The language model is no longer available.';
    default:
      return 'The language model failed.';
  }
}
