import { type CancellationToken, NO_CANCELLATION, unlessCancelled } from '../base/cancellation.ts';
import { cancelled, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import type { TurnRequest, TurnResult } from '../hostTypes.ts';
import type { FinishReason, ModelMessage, Usage } from '../model/inference.ts';
import type { HostLimits } from '../model/server.ts';
import type { LanguageModel, Models } from '../modelPorts.ts';
import type { Clock, Ids } from '../ports.ts';
import type { HookTurn } from '../wire/mcpl/hooks.ts';
import type { Budgets } from './budgets.ts';
import { injectors, withInjections } from './injections.ts';
import type { Participant } from '../mcpl/participant.ts';
import { chooseModel, runModel } from './chooseModel.ts';
import type { Recorder } from '../audit/auditLog.ts';
import { countableText, TokenCounter } from './tokenCounter.ts';
import { turnFailure } from './turnFailure.ts';
import { redactContent } from '../model/content.ts';
import { type TurnBudget, TurnBudgets } from './turnBudgets.ts';
import type { HookedTurn, TurnHooks } from './turnHooks.ts';

interface TurnsOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly models: Models;
  readonly budgets: Pick<Budgets, 'take'>;
  readonly recorder: Recorder;
  readonly log: Logger;
  readonly redact?: Redact | undefined;
  readonly hooks: TurnHooks;
  limits(): Pick<HostLimits, 'model'>;
}

interface TurnGiven {
  /** The server whose event started the turn. Its budget pays. Absent for a turn of the user. */
  readonly payer?: Participant | undefined;
}

/** A turn in progress. */
interface Round {
  readonly request: TurnRequest;
  readonly turn: HookTurn;
  readonly hooks: HookedTurn;
  readonly model: LanguageModel;
  readonly budget: TurnBudget;
  readonly token: CancellationToken;
}

interface ModelAnswer {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/** One turn with a model, with the hooks of all servers around it (MCPL §10). */
export class TurnRunner {
  readonly #options: TurnsOptions;
  readonly #budgets: TurnBudgets;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#budgets = new TurnBudgets(options);
  }

  /** Rejects with a `HostError`. Servers are not notified of such a turn. */
  async run(request: TurnRequest, given: TurnGiven = {}): Promise<TurnResult> {
    const token = request.token ?? NO_CANCELLATION;
    stopIfCancelled(token);
    const hooks = this.#options.hooks.begin({ token, onStep: request.onStep });
    const inferenceId = request.inferenceId ?? `inf_${this.#options.ids.uuid()}`;
    const budget = await this.#budgets.open(given.payer, inferenceId);
    try {
      stopIfCancelled(token);
      const model = request.model ?? (await this.#choose(given.payer, token));
      stopIfCancelled(token);
      budget.chose(model.facts);
      const { conversationId, turnIndex, userMessage } = request;
      const turn = { inferenceId, conversationId, turnIndex, userMessage, model: model.facts };
      const result = await this.#round({ request, turn, hooks, model, budget, token });
      budget.close('success');
      return result;
    } catch (error) {
      budget.close({ error });
      throw error;
    }
  }

  async #choose(payer: Participant | undefined, token: CancellationToken): Promise<LanguageModel> {
    const { clock, models } = this.#options;
    const wanted = { name: payer?.settings.inference.model ?? this.#options.limits().model, server: payer?.server };
    const choice = await chooseModel(models, wanted, { clock, token });
    if (choice.kind === 'model') return choice.model;
    throw turnFailure(choice);
  }

  async #round(round: Round): Promise<TurnResult> {
    const { request, turn, hooks, model } = round;
    const { redact } = this.#options;
    const gathered = await hooks.gather(turn);
    const { isChecked } = hooks;
    const messages = withInjections(request.messages, gathered.placed).map(({ role, content }) => ({
      role,
      content: redact === undefined ? content : redactContent(content, redact),
    }));
    const show = (text: string): void => this.#tell('onText', request.onText, text);
    const answer = await this.#ask(round, messages, isChecked ? () => undefined : show);
    const { usage, finishReason } = answer;
    const checked = await hooks.finish(turn, answer.text, usage);
    // An answer that servers may change is shown only now (docs/decisions/changeable-answers.md).
    if (isChecked && checked.text !== '') show(checked.text);
    const injectedBy = injectors(gathered.placed);
    const { text, modifiedBy } = checked;
    const remarks = [...gathered.remarks, ...checked.remarks];
    const { inferenceId } = turn;
    return { inferenceId, text, model: model.facts, usage, finishReason, injectedBy, modifiedBy, remarks };
  }

  async #ask(
    { request, model, budget, token }: Round,
    messages: readonly ModelMessage[],
    onText: (piece: string) => void,
  ): Promise<ModelAnswer> {
    const { clock } = this.#options;
    const counter = new TokenCounter(clock, model);
    const read = countableText(messages);
    // A turn without a limit does not wait for the count.
    const counted = budget.isPaid ? await unlessCancelled(counter.count(read), token, 'The turn') : undefined;
    const maxTokens = budget.allow(counted ?? 0);
    const { justification } = request;
    const run = { clock, model, counter, maxTokens, token, onText, request: { messages, justification } };
    const { end, text } = await runModel(run);
    const estimate = { inputTokens: counter.estimate(read), outputTokens: counter.estimate(text) };
    if (end.kind !== 'ended') {
      budget.failed(end, estimate);
      throw turnFailure(end);
    }
    // Charged even if the turn ends during the count.
    budget.used(estimate);
    const counting = async (): Promise<Usage> => ({
      inputTokens: counted ?? (await counter.count(read)),
      outputTokens: await counter.count(text),
    });
    const usage = await unlessCancelled(counting(), token, 'The turn');
    budget.used(usage);
    return { text, finishReason: end.finishReason, usage };
  }

  /** A failing listener must not break the turn. */
  #tell(what: string, listener: ((text: string) => void) | undefined, text: string): void {
    try {
      listener?.(text);
    } catch (error) {
      this.#options.log.log('error', `${what} of a turn failed: ${messageOf(error)}`);
    }
  }
}

function stopIfCancelled(token: CancellationToken): void {
  if (token.isCancellationRequested) throw cancelled('The turn');
}
