import * as vscode from 'vscode';
import {
  CancellationSource,
  type CancellationToken,
  type Clock,
  estimatedTokens,
  ignoreFailure,
  type Logger,
  messageOf,
  type ModelReservation,
  type ModelUseRecord,
  type ModelUses,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  type SamplingRequest,
  type SamplingResult,
  unlessCancelled,
  waitFor,
} from '../../core/index.ts';
import { baseModels } from '../models/baseModels.ts';
import { preferredModel } from '../models/modelPreference.ts';
import { runModel } from '../models/modelRun.ts';
import { plainText } from '../shared/plainText.ts';
import { cancellableProgress } from '../shared/progress.ts';
import { withoutIcons } from '../shared/quickPicker.ts';
import {
  decisionText,
  type SamplingLifetime,
  SamplingMemory,
  type SamplingStage,
  type SamplingStore,
} from './samplingMemory.ts';
import { unsendable } from './samplingPieces.ts';
import { type AllowedRequest, SamplingReview } from './samplingReview.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';
import { notify } from '../shared/notify.ts';

export interface SamplerTools {
  readonly questions: WaitingQuestions;
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly log: Logger;
  /** The editor's workspace state. */
  readonly state: SamplingStore;
  /** Part of a model name, for servers without their own (`mcpl.inference.model`). */
  readonly model: () => string | undefined;
  readonly book: () => SamplingBook;
}

/** An allowed request, with its budget reservation if it was not reviewed. */
interface Admitted extends AllowedRequest {
  readonly reserved: Reserved | undefined;
}

const DECLINED: SamplingOutcome = { kind: 'declined' };
/** How long to wait for models. One that starts later is found next time. */
const MODELS_MS = 2_000;

/**
 * Runs sampling requests on the editor's models. The user reviews each prompt, and each answer, unless an earlier
 * decision covers this server.
 */
export class EditorSampler implements Pick<Sampler, 'sample'> {
  readonly #tools: SamplerTools;
  readonly #review: SamplingReview;
  readonly #memory: SamplingMemory;
  readonly #notified = new Set<string>();

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

  /** *Forget Sampling Permissions*: shows the decisions of one server or all, and removes selected ones. */
  forget(server: string | undefined): Promise<void> {
    return forgetDecisions(this.#memory, server);
  }

  /** Whether a request may go to a model, by the user's answer or an earlier decision within the budget. */
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
      // A permanent permission is limited by the budget. Above it the user is asked.
      asked = { ...question, remarks: [...question.remarks, reserved.message] };
    }
    const decision = await this.#review.request(asked, models, token);
    await this.#remember(question, 'request', decision);
    return decision.kind === 'allowed' ? { ...decision.value, reserved: undefined } : undefined;
  }

  /** Gives the server an answer that the user reviewed or chose not to review. */
  async #deliver(
    question: SamplingQuestion,
    model: string,
    result: SamplingResult,
    token: CancellationToken,
  ): Promise<SamplingOutcome> {
    if (this.#memory.verdict(question, 'answer') === 'allow') return { kind: 'answered', result };
    const decision = await this.#review.answer({ question, model, result }, token);
    // If the answer is refused, refuse later requests too, because running a model for them is pointless.
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
    const waited = await waitFor(baseModels(), { clock: this.#tools.clock, ms: MODELS_MS, token });
    return waited.kind === 'done' ? waited.value : [];
  }

  async #run(
    question: SamplingQuestion,
    model: vscode.LanguageModelChat,
    { request, reserved }: Admitted,
    token: CancellationToken,
  ): Promise<SamplingOutcome> {
    const { server } = question;
    const title = vscode.l10n.t('{0} answers the server "{1}"', plainText(model.name, 60), plainText(server, 64));
    const source = new CancellationSource();
    const ends = token.onCancellationRequested(() => source.cancel());
    const started = this.#tools.clock.now();
    const used = (outcome: EndedRun['outcome'], result?: SamplingResult): void =>
      this.#record({ server, model, request, result, outcome, at: started }, reserved);
    try {
      return await cancellableProgress(title, async (byUser) => {
        const stops = byUser.onCancellationRequested(() => source.cancel());
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

  /** Not awaited. The reservation is released after counting. */
  #record(run: EndedRun, reserved: Reserved | undefined): void {
    const { book, clock, log } = this.#tools;
    const recorded = countedUse(run, clock).then((use) => book().record(use));
    recorded.catch((error: unknown) => log.log('warn', `A use of a model was not counted: ${messageOf(error)}`));
    ignoreFailure(recorded.finally(() => reserved?.release()));
  }

  /** The server gets the kind of failure. The user and the log get the details. */
  #unavailable({ server }: SamplingQuestion, reason: string, error?: unknown): SamplingOutcome {
    const detail = error === undefined ? '' : ` ${messageOf(error)}`;
    this.#tools.log.log('warn', `The server "${server}" got no answer from a language model. ${reason}${detail}`);
    const text = vscode.l10n.t('The server "{0}" got no answer from a language model.', plainText(server, 64));
    if (!this.#notified.has(server)) {
      // Reports a server once until the user closed the notification.
      this.#notified.add(server);
      const shown = notify({ severity: 'warning', text: `${text} ${reason}${plainText(detail, 300)}` });
      ignoreFailure(shown.finally(() => this.#notified.delete(server)));
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

/** Shows sampling decisions and removes the selected ones. */
async function forgetDecisions(memory: SamplingMemory, server: string | undefined): Promise<void> {
  const decisions = memory.list().filter((decision) => server === undefined || decision.server === server);
  if (decisions.length === 0) {
    const text = vscode.l10n.t('No decision is stored: MCP Live asks you about every request for a language model.');
    void notify({ severity: 'info', text });
    return;
  }
  const items = decisions.map((decision) => ({
    label: withoutIcons(plainText(decision.server, 64)),
    description: decisionText(decision),
    detail: vscode.l10n.t('Decided {0}', new Date(decision.at).toLocaleString()),
    picked: decisions.length === 1,
    decision,
  }));
  const placeHolder = vscode.l10n.t('Which decisions about language models do you want to forget?');
  const options = { placeHolder, canPickMany: true, matchOnDescription: true } as const;
  const chosen = await vscode.window.showQuickPick(items, options);
  if (chosen !== undefined && chosen.length > 0) await memory.forget(chosen.map(({ decision }) => decision));
}

/** The parts of model accounting that sampling needs. */
type SamplingBook = Pick<ModelUses, 'reserve' | 'record'>;

/** A budget reservation until the use is recorded. */
type Reserved = Extract<ModelReservation, { kind: 'reserved' }>;

interface EndedRun {
  readonly server: string;
  readonly model: vscode.LanguageModelChat;
  readonly request: SamplingRequest;
  readonly result: SamplingResult | undefined;
  readonly outcome: ModelUseRecord['outcome'];
  readonly at: number;
}

const COUNT_MS = 5_000;

/** Adds token counts to a run, for text only. Never rejects. */
async function countedUse(run: EndedRun, clock: Clock): Promise<ModelUseRecord> {
  const { server, model, request, result, outcome, at } = run;
  const durationMs = clock.now() - at;
  const asked = request.messages.flatMap(({ content }) => content);
  const [input, output] = await Promise.all([
    count(model, textOf([...asked, { type: 'text', text: request.systemPrompt ?? '' }]), clock),
    count(model, textOf(result?.content ?? []), clock),
  ]);
  const usage = { inputTokens: input, outputTokens: output };
  return { server, route: 'sampling', at, durationMs, model: `${model.vendor}/${model.id}`, usage, outcome };
}

function textOf(content: SamplingResult['content']): string {
  return content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n');
}

async function count(
  model: Pick<vscode.LanguageModelChat, 'countTokens'>,
  text: string,
  clock: Clock,
): Promise<number> {
  if (text.trim() === '') return 0;
  const estimate = estimatedTokens(text);
  try {
    const counting = Promise.resolve(model.countTokens(text));
    const counted = await waitFor(counting, { clock, ms: COUNT_MS });
    const tokens = counted.kind === 'done' ? counted.value : estimate;
    return Number.isFinite(tokens) && tokens >= 0 ? Math.ceil(tokens) : estimate;
  } catch {
    return estimate;
  }
}
