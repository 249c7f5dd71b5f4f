import { CancellationSource, NO_CANCELLATION } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import { showHidden } from '../base/hiddenText.ts';
import { messageOf, RPC, WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ModelRefusal } from '../hostTypes.ts';
import { type AuditOutcome, type AuditRecord, auditRecord } from '../model/audit.ts';
import type { HostLimits } from '../model/server.ts';
import type { LanguageModel, ModelChoice, Models, ModelSelection } from '../modelPorts.ts';
import type { Clock, Ids } from '../ports.ts';
import type { InboundContext } from '../rpc/peer.ts';
import { idIn } from '../wire/mcpl/blocks.ts';
import {
  capabilityDenied,
  inHook,
  invalidParams,
  MCPL_ERROR,
  modelError,
  notEnabled,
} from '../wire/mcpl/mcplErrors.ts';
import {
  decodeInferenceRequest,
  encodeChunk,
  encodeInferenceResult,
  encodeModelInfo,
  type InferenceParams,
} from '../wire/mcpl/inferenceMessages.ts';
import type { Budgets, Refusal, Taken } from './budgets.ts';
import type { Participant } from '../mcpl/participant.ts';
import type { ConversationModels } from './conversationModels.ts';
import { chooseModel, runModel, type RunOutcome, type Unanswered } from './chooseModel.ts';
import { redactContent } from '../model/content.ts';
import type { Recorder } from '../audit/auditLog.ts';
import { countableText, TokenCounter } from './tokenCounter.ts';
import type { ModelFacts } from '../model/inference.ts';

interface InferenceRequestsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly models: Models;
  readonly budgets: Pick<Budgets, 'take'>;
  readonly recorder: Recorder;
  readonly conversations: Pick<ConversationModels, 'of'>;
  limits(): Pick<HostLimits, 'model'>;
  /** Called for a refusal that the user could resolve. */
  onRefused(refusal: ModelRefusal): void;
}

/** The outcome of a request, for the server, the audit and the budget. */
interface Verdict {
  readonly answer: JsonObject | WireError;
  readonly outcome: AuditOutcome;
  readonly detail: string;
  /** Undefined if no model was used. */
  readonly tokens?: number | undefined;
  readonly model?: string | undefined;
}

interface Request {
  readonly member: Participant;
  readonly featureSet: string;
  readonly params: InferenceParams;
  readonly context: InboundContext;
  readonly taken: Taken;
}

const MAX_DETAIL = 500;
const MAX_CONVERSATION = 100;
/** The id is repeated in every chunk of the answer. */
const MAX_ID = 512;
/** Repeated requests of a server share one lookup for this long. */
const SHARED_MS = 1_000;

interface ModelInfoOptions {
  readonly clock: Clock;
  readonly models: Models;
}

type ModelInfoAnswer = { readonly kind: 'facts'; readonly facts: ModelFacts } | Unanswered;

interface Lookup {
  readonly answer: Promise<ModelInfoAnswer>;
  /** Other callers get the same answer until this time. */
  until: number;
}

/** Looks up the model that a server would get (MCPL §12). */
class ModelInfo {
  readonly #options: ModelInfoOptions;
  readonly #lookups = new Map<string, Lookup>();

  constructor(options: ModelInfoOptions) {
    this.#options = options;
  }

  /** Calls `onLooked` for a new lookup, but not for a cached answer. */
  ask(server: string, wanted: ModelSelection, onLooked: (answer: ModelInfoAnswer) => void): Promise<ModelInfoAnswer> {
    const { clock } = this.#options;
    const known = this.#lookups.get(server);
    if (known !== undefined && clock.now() < known.until) return known.answer;
    const lookup: Lookup = { answer: this.#look(wanted), until: Number.POSITIVE_INFINITY };
    this.#lookups.set(server, lookup);
    return lookup.answer.then((answer) => {
      lookup.until = clock.now() + SHARED_MS;
      onLooked(answer);
      return answer;
    });
  }

  async #look(wanted: ModelSelection): Promise<ModelInfoAnswer> {
    const { clock, models } = this.#options;
    // Shared with later callers, so a single caller must not cancel it.
    const choice: ModelChoice | Unanswered = await chooseModel(models, wanted, { clock, token: NO_CANCELLATION });
    return choice.kind === 'model' ? { kind: 'facts', facts: choice.model.facts } : choice;
  }
}

/**
 * MCPL §11 and §12: servers send requests to the user's models, each within its budget. These requests run no hooks.
 */
export class InferenceRequests {
  readonly #options: InferenceRequestsOptions;
  readonly #info: ModelInfo;

  constructor(options: InferenceRequestsOptions) {
    this.#options = options;
    this.#info = new ModelInfo(options);
  }

  /** Handles `inference/request`. Throws a `WireError` as the answer. */
  async handle(member: Participant, params: JsonObject, context: InboundContext): Promise<Json> {
    const set = member.requireEnabled(params['featureSet'], 'inferenceRequest');
    if (params['stream'] === true && member.dialect.traits.separateInferenceUses)
      member.requireEnabled(set.name, 'inferenceRequest.streaming');
    const { clock, ids } = this.#options;
    const at = clock.now();
    const inferenceId = `inf_${ids.uuid()}`;
    const verdict = await this.#judge(member, set.name, params, context);
    const conversation = idIn(params['conversationId'], MAX_ID);
    const detail = conversation === undefined ? verdict.detail : inConversation(conversation, verdict.detail);
    const facts = { at, operation: 'inference/request', featureSet: set.name, inferenceId };
    this.#record(member, { ...verdict, detail }, facts);
    if (verdict.answer instanceof WireError) throw verdict.answer;
    return verdict.answer;
  }

  /** Handles `model/info`. Throws a `WireError` as the answer. */
  async modelInfo(member: Participant, _params: JsonObject, _context: InboundContext): Promise<Json> {
    const at = this.#options.clock.now();
    const facts = { at, operation: 'model/info' };
    if (member.dialect.traits.separateInferenceUses && member.setsFor('modelInfo').length === 0) {
      const error = capabilityDenied('modelInfo');
      this.#record(member, refused(error), facts);
      throw error;
    }
    const answer = await this.#info.ask(member.server, this.#wanted(member), (looked) => {
      if (looked.kind === 'facts') {
        this.#record(member, { outcome: 'success', detail: looked.facts.id }, facts);
        return;
      }
      // Granting model access would not help a server that may not send requests.
      if (member.setsFor('inferenceRequest').length > 0) this.#tellRefusal(member, looked);
      this.#record(member, unanswered(member, looked, undefined), facts);
    });
    if (answer.kind === 'facts') return encodeModelInfo(answer.facts);
    throw errorOf(answer);
  }

  async #judge(member: Participant, featureSet: string, params: JsonObject, context: InboundContext): Promise<Verdict> {
    if (member.isInHook) return refused(inHook());
    if (String(context.requestId).length > MAX_ID)
      return refused(invalidParams(`The id of a request must be at most ${MAX_ID} characters.`, 'id'));
    const decoded = decodeInferenceRequest(params);
    if (decoded.kind === 'invalid') return refused(invalidParams(decoded.why, decoded.field));
    const taken = await this.#options.budgets.take(member);
    if (taken.kind === 'refused') return refused(overBudget(taken));
    let verdict: Verdict | undefined;
    try {
      verdict = await this.#use({ member, featureSet, params: decoded.value, context, taken });
    } catch (error) {
      verdict = unanswered(member, { kind: 'broken', error }, undefined);
    } finally {
      taken.done(verdict?.tokens);
    }
    return verdict;
  }

  async #use(request: Request): Promise<Verdict> {
    const { member, featureSet, params, context, taken } = request;
    const { clock } = this.#options;
    const { token } = context;
    const choice = await this.#choose(request);
    if (choice.kind !== 'model') {
      this.#tellRefusal(member, choice);
      return unanswered(member, choice, undefined);
    }
    const { model } = choice;
    const counter = new TokenCounter(clock, model);
    const inputTokens = await counter.count(countableText(params.messages));
    if (token.isCancellationRequested) return unanswered(member, { kind: 'cancelled' }, undefined);
    // The set may have been switched off while a model was selected.
    if (isOff(request)) return switchedOff(featureSet, undefined);
    const allowed = taken.allow(inputTokens, params.maxTokens);
    if (allowed.kind === 'refused') return refused(overBudget(allowed));
    const outcome = await this.#run(request, model, counter, allowed.maxTokens);
    const verdict = isOff(request)
      ? switchedOff(featureSet, inputTokens + counter.estimate(outcome.text))
      : await this.#verdict(request, { model, counter, inputTokens, outcome });
    return verdict.tokens === undefined ? verdict : { ...verdict, model: `${model.facts.vendor}/${model.facts.id}` };
  }

  /** The server's setting comes first, then the conversation's model if available, then the host's choice. */
  async #choose({ member, params, context: { token } }: Request): Promise<ModelChoice | Unanswered> {
    const { clock, models, conversations } = this.#options;
    const wanted = this.#wanted(member);
    const used = member.settings.inference.model === undefined ? conversations.of(params.conversationId) : undefined;
    if (used === undefined) return chooseModel(models, wanted, { clock, token });
    const choice = await chooseModel(models, { ...wanted, name: used }, { clock, token });
    const isGone = choice.kind === 'failed' && choice.reason === 'no_model';
    return isGone ? chooseModel(models, wanted, { clock, token }) : choice;
  }

  async #run(request: Request, model: LanguageModel, counter: TokenCounter, maxTokens: number): Promise<RunOutcome> {
    const { member, featureSet, params, context } = request;
    const { session } = member;
    const redact = (text: string): string => showHidden(member.redact(text));
    const stop = new CancellationSource();
    const subscriptions = [
      context.token.onCancellationRequested(() => stop.cancel()),
      member.onDidChangeSets(() => {
        if (isOff(request)) stop.cancel();
      }),
    ];
    let index = 0;
    const running = runModel({
      clock: this.#options.clock,
      model,
      counter,
      maxTokens,
      token: stop.token,
      request: {
        messages: params.messages.map(({ role, content }) => ({ role, content: redactContent(content, redact) })),
        // The rest of a budget was not requested by the server, and exceeds the models' own limits.
        maxTokens: params.maxTokens === undefined ? undefined : maxTokens,
        temperature: params.temperature,
        justification: `The server "${member.server}" sends a request to a model (${cleanLine(featureSet, 100)}).`,
      },
      onText: (piece) => {
        if (isOff(request)) stop.cancel();
        /** MCPL §11.4 */
        else if (params.stream) session.notify('inference/chunk', encodeChunk(context.requestId, index++, piece));
      },
    });
    return running.finally(() => subscriptions.forEach((subscription) => subscription.dispose()));
  }

  async #verdict(
    { member }: Request,
    used: {
      readonly model: LanguageModel;
      readonly counter: TokenCounter;
      readonly inputTokens: number;
      readonly outcome: RunOutcome;
    },
  ): Promise<Verdict> {
    const { model, counter, inputTokens } = used;
    const { end, text } = used.outcome;
    if (end.kind !== 'ended') {
      this.#tellRefusal(member, end);
      const tokens = isRefusal(end) ? undefined : inputTokens + counter.estimate(text);
      return unanswered(member, end, tokens, counter.isEstimate);
    }
    const outputTokens = await counter.count(text);
    const usage = { inputTokens, outputTokens };
    const { finishReason } = end;
    return {
      answer: encodeInferenceResult({ content: text, model: model.facts.id, finishReason, usage }),
      outcome: 'success',
      detail: [
        `${model.facts.id}: ${inputTokens} tokens read, ${outputTokens} written${estimated(counter.isEstimate)}`,
        ...(finishReason === 'end_turn' ? [] : [`ended by ${finishReason}`]),
      ].join('; '),
      tokens: inputTokens + outputTokens,
    };
  }

  #wanted(member: Participant): ModelSelection {
    return { name: member.settings.inference.model ?? this.#options.limits().model, server: member.server };
  }

  #tellRefusal({ server }: Participant, end: Unanswered): void {
    if (isRefusal(end)) this.#options.onRefused({ server, reason: end.reason });
  }

  #record(
    member: Participant,
    { outcome, detail, tokens, model }: Omit<Verdict, 'answer'>,
    facts: Pick<AuditRecord, 'at' | 'operation'> & Partial<Pick<AuditRecord, 'featureSet' | 'inferenceId'>>,
  ): void {
    const { clock, recorder } = this.#options;
    const shown = cleanLine(member.redact(detail), MAX_DETAIL);
    const durationMs = clock.now() - facts.at;
    recorder.record(
      auditRecord({ ...facts, server: member.server, outcome, durationMs, detail: shown, tokens, model }),
    );
  }
}

/** The user switched the set off during the request. A cancelled or interrupted request is handled elsewhere. */
function isOff({ member, featureSet, context }: Request): boolean {
  return !context.token.isCancellationRequested && !member.isOn(featureSet);
}

function inConversation(id: string, detail: string): string {
  return `Conversation ${cleanLine(id, MAX_CONVERSATION)}: ${detail}`;
}

function switchedOff(featureSet: string, tokens: number | undefined): Verdict {
  return { ...refused(notEnabled(featureSet, true)), tokens };
}

function refused(error: WireError): Verdict {
  return { answer: error, outcome: 'refused', detail: error.message };
}

function unanswered(
  member: Participant,
  end: Unanswered,
  tokens: number | undefined,
  isEstimate: boolean = false,
): Verdict {
  if (end.kind === 'broken') {
    member.log.log('error', `A language model could not be used: ${member.redact(messageOf(end.error))}`);
  }
  const { outcome, why } = explain(end);
  const used = tokens === undefined ? '' : ` ${tokens} tokens were used${estimated(isEstimate)}.`;
  return { answer: errorOf(end), outcome, detail: `${why}${used}`, tokens };
}

function explain(end: Unanswered): { readonly outcome: AuditOutcome; readonly why: string } {
  switch (end.kind) {
    case 'late':
      return { outcome: 'timeout', why: 'The language model took too long.' };
    case 'cancelled':
      return { outcome: 'cancelled', why: 'The server took its request back, or its connection ended.' };
    case 'broken':
      return { outcome: 'failure', why: `The language model could not be used: ${messageOf(end.error)}.` };
    case 'failed':
      return { outcome: end.reason === 'cancelled' ? 'cancelled' : 'failure', why: end.message };
  }
}

function errorOf(end: Unanswered): WireError {
  switch (end.kind) {
    case 'late':
      return modelError({ reason: 'failed' });
    case 'cancelled':
      return modelError({ reason: 'cancelled' });
    case 'broken':
      // The server must not see error messages of the host or the editor.
      return new WireError(RPC.internalError, 'Internal error');
    case 'failed':
      return modelError(end);
  }
}

function overBudget({ limit, message, retryAt }: Refusal): WireError {
  const when = retryAt === undefined ? {} : { retryAt: new Date(retryAt).toISOString() };
  return new WireError(MCPL_ERROR.model, message, { reason: 'budget', limit, ...when });
}

function isRefusal(end: Unanswered): end is Extract<Unanswered, { kind: 'failed' }> & Pick<ModelRefusal, 'reason'> {
  return end.kind === 'failed' && (end.reason === 'no_model' || end.reason === 'no_permission');
}

function estimated(isEstimate: boolean): string {
  return isEstimate ? ' (estimated)' : '';
}
