import { cancelled } from '../base/errors.ts';
import { NO_CANCELLATION } from '../base/cancellation.ts';
import type { FinishedAnswer, GivenAnswer, InferenceOpening, OpenInference } from '../hostTypes.ts';
import type { Ids } from '../ports.ts';
import type { HookTurn } from '../wire/mcpl/hooks.ts';
import type { Gathered } from './contextHooks.ts';
import { asMessages, injectors } from './injections.ts';
import type { HookedTurn, TurnHooks } from './turnHooks.ts';

interface OpenInferencesOptions {
  readonly ids: Pick<Ids, 'uuid'>;
  readonly hooks: TurnHooks;
}

/** MCPL §10 for inferences that run elsewhere: in the editor's chat, or in a wrapped model. */
export class OpenInferences {
  readonly #options: OpenInferencesOptions;

  constructor(options: OpenInferencesOptions) {
    this.#options = options;
  }

  /** Rejects with a `HostError`: CANCELLED, ANSWER_WITHHELD. */
  async open(opening: InferenceOpening): Promise<OpenInference> {
    const { conversationId, turnIndex, userMessage, model, onStep, contextMs, token = NO_CANCELLATION } = opening;
    const { ids, hooks } = this.#options;
    if (token.isCancellationRequested) throw cancelled('The turn');
    const hooked = hooks.begin({ token, onStep, contextMs });
    if (opening.isShownAtOnce === true) hooked.refuseUnchecked();
    const turn: HookTurn = { inferenceId: `inf_${ids.uuid()}`, conversationId, turnIndex, userMessage, model };
    return new OpenTurn(turn, hooked, await hooked.gather(turn));
  }
}

class OpenTurn implements OpenInference {
  readonly inferenceId: string;
  readonly context: OpenInference['context'];
  readonly injectedBy: OpenInference['injectedBy'];
  readonly remarks: readonly string[];
  readonly isChecked: boolean;
  readonly #turn: HookTurn;
  readonly #hooks: HookedTurn;
  /** The answer is checked once, even if requested repeatedly. */
  #finished: Promise<FinishedAnswer> | undefined;
  #isAbandoned = false;

  constructor(turn: HookTurn, hooks: HookedTurn, { placed, remarks }: Gathered) {
    this.#turn = turn;
    this.#hooks = hooks;
    this.inferenceId = turn.inferenceId;
    this.context = asMessages(placed);
    this.injectedBy = injectors(placed);
    this.remarks = remarks;
    this.isChecked = hooks.isChecked;
  }

  finish(answer: GivenAnswer): Promise<FinishedAnswer> {
    if (this.#isAbandoned) return Promise.reject(cancelled('The turn'));
    this.#finished ??= this.#hooks.finish(this.#turn, answer.text, answer.usage);
    return this.#finished;
  }

  abandon(): void {
    this.#isAbandoned = true;
  }
}
