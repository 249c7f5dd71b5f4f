import { type CancellationToken, NO_CANCELLATION, unlessCancelled } from '../base/cancellation.ts';
import { cancelled, messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { TurnRequest, TurnResult } from '../hostTypes.ts';
import type { FinishReason, ModelMessage, Usage } from '../model/inference.ts';
import type { HostLimits } from '../model/server.ts';
import type { LanguageModel, Models } from '../modelPorts.ts';
import type { Clock, Ids } from '../ports.ts';
import type { HookTurn } from '../wire/mcpl/hooks.ts';
import { AfterHooks } from './afterHooks.ts';
import type { Budgets } from './budgets.ts';
import { ContextHooks, type Gathered } from './contextHooks.ts';
import { inOrder, withInjections } from './injections.ts';
import type { McplMember } from './member.ts';
import { chooseModel, runModel } from './modelUse.ts';
import type { Recorder } from './recorder.ts';
import { countableText, TokenCounter } from './tokenCounter.ts';
import { turnFailure } from './turnFailure.ts';
import { type Account, TurnAccounts } from './turnAccounts.ts';

export interface TurnsOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly models: Models;
  readonly budgets: Pick<Budgets, 'take'>;
  readonly recorder: Recorder;
  readonly log: Logger;
  /** In the order of their hooks. */
  members(): readonly McplMember[];
  limits(): Pick<HostLimits, 'model'>;
}

export interface TurnGiven {
  /** Whoever's event began the turn: its budget pays. Absent for a turn of a person. */
  readonly payer?: McplMember | undefined;
}

/** A turn on its way. */
interface Round {
  readonly request: TurnRequest;
  readonly turn: HookTurn;
  /** Who could change the answer when the turn began. */
  readonly guards: readonly McplMember[];
  readonly model: LanguageModel;
  readonly account: Account;
  readonly token: CancellationToken;
}

interface ModelAnswer {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/** One round with a model, with the hooks of all servers around it (MCPL §10). */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #before: ContextHooks;
  readonly #after: AfterHooks;
  readonly #accounts: TurnAccounts;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#before = new ContextHooks(options);
    this.#after = new AfterHooks(options);
    this.#accounts = new TurnAccounts(options);
  }

  /** Rejects with a `HostError`; no server is told of a turn that ends so. */
  async run(request: TurnRequest, given: TurnGiven = {}): Promise<TurnResult> {
    const token = request.token ?? NO_CANCELLATION;
    stopIfCancelled(token);
    // Before anything is waited for: one that ends meanwhile is still one that has to check the answer.
    const guards = this.#after.blockers(this.#members());
    const inferenceId = request.inferenceId ?? `inf_${this.#options.ids.uuid()}`;
    const account = await this.#accounts.open(given.payer, inferenceId);
    try {
      stopIfCancelled(token);
      const model = request.model ?? (await this.#choose(given.payer, token));
      stopIfCancelled(token);
      const { conversationId, turnIndex, userMessage } = request;
      const turn = { inferenceId, conversationId, turnIndex, userMessage, model: model.facts };
      const result = await this.#round({ request, turn, guards, model, account, token });
      account.close('success');
      return result;
    } catch (error) {
      account.close({ error });
      throw error;
    }
  }

  async #choose(payer: McplMember | undefined, token: CancellationToken): Promise<LanguageModel> {
    const { clock, models } = this.#options;
    const wish = { name: payer?.settings.inference.model ?? this.#options.limits().model, server: payer?.server };
    const choice = await chooseModel(models, wish, { clock, token });
    if (choice.kind === 'model') return choice.model;
    throw turnFailure(choice);
  }

  async #round(round: Round): Promise<TurnResult> {
    const { request, turn, guards, model, token } = round;
    const gathered = await this.#gather(round);
    stopIfCancelled(token);
    // Also one that has ended meanwhile: whether an answer is shown without it is for its settings to say.
    const blockers = this.#inOrder([...new Set([...guards, ...this.#after.blockers(this.#members())])]);
    const messages = withInjections(request.messages, gathered.placed);
    const show = (text: string): void => this.#tell('onText', request.onText, text);
    const answer = await this.#ask(round, messages, blockers.length === 0 ? show : () => undefined);
    const { usage, finishReason } = answer;
    const answered = { ...turn, assistantMessage: answer.text, usage };
    const onStep = (step: string): void => this.#tell('onStep', request.onStep, step);
    const checked = await this.#after.check(answered, blockers, { token, onStep });
    stopIfCancelled(token);
    // Nothing of an answer that a server may change is shown before (mcpl.md §5 (24)).
    if (blockers.length > 0 && checked.text !== '') show(checked.text);
    this.#after.tell({ ...answered, assistantMessage: checked.text }, this.#members());
    const injectedBy = inOrder(gathered.placed).map(({ server, namespace, position }) => ({
      server,
      namespace,
      position,
    }));
    const { text, modifiedBy } = checked;
    const remarks = [...gathered.remarks, ...checked.remarks];
    const { inferenceId } = turn;
    return { inferenceId, text, model: model.facts, usage, finishReason, injectedBy, modifiedBy, remarks };
  }

  async #gather({ request, turn, token }: Round): Promise<Gathered> {
    const asked = this.#before.participants(this.#members());
    if (asked.length === 0) return { placed: [], remarks: [] };
    const names = asked.map(({ server }) => server).join(', ');
    this.#tell('onStep', request.onStep, `Asking ${names} for context`);
    return this.#before.gather(turn, asked, token);
  }

  async #ask(
    { request, model, account, token }: Round,
    messages: readonly ModelMessage[],
    onText: (piece: string) => void,
  ): Promise<ModelAnswer> {
    const { clock } = this.#options;
    const counter = new TokenCounter(clock, model);
    const read = countableText(messages);
    // Whoever has no limit need not wait for this.
    const counted = account.isPaid ? await unlessCancelled(counter.count(read), token, 'The turn') : undefined;
    const maxTokens = account.allow(counted ?? 0);
    const { justification } = request;
    const run = { clock, model, counter, maxTokens, token, onText, request: { messages, justification } };
    const { end, text } = await runModel(run);
    const estimate = { inputTokens: counter.estimate(read), outputTokens: counter.estimate(text) };
    if (end.kind !== 'ended') {
      account.failed(end, estimate);
      throw turnFailure(end);
    }
    // Used, also if the turn ends while that is being counted.
    account.used(estimate);
    const counting = async (): Promise<Usage> => ({
      inputTokens: counted ?? (await counter.count(read)),
      outputTokens: await counter.count(text),
    });
    const usage = await unlessCancelled(counting(), token, 'The turn');
    account.used(usage);
    return { text, finishReason: end.finishReason, usage };
  }

  #members(): readonly McplMember[] {
    return this.#inOrder(this.#options.members());
  }

  /** Servers of the same order stay in that of the settings. */
  #inOrder(members: readonly McplMember[]): readonly McplMember[] {
    return members.toSorted((a, b) => a.settings.hooks.order - b.settings.hooks.order);
  }

  /** Whoever listens cannot break the turn. */
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
