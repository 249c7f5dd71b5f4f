import { NO_CANCELLATION } from '../base/cancellation.ts';
import type { ModelFacts } from '../model/inference.ts';
import type { ModelChoice, Models, ModelWish } from '../modelPorts.ts';
import type { Clock } from '../ports.ts';
import { chooseModel, type Unanswered } from './modelUse.ts';

export interface ModelInfoOptions {
  readonly clock: Clock;
  readonly models: Models;
}

export type ModelInfoAnswer = { readonly kind: 'facts'; readonly facts: ModelFacts } | Unanswered;

interface Lookup {
  readonly answer: Promise<ModelInfoAnswer>;
  /** Until when others get the same answer. */
  until: number;
}

/** A server that asks again and again makes the editor look for models once in this time. */
const SHARED_MS = 1_000;

/** MCPL §12: which model a server would get. */
export class ModelInfo {
  readonly #options: ModelInfoOptions;
  readonly #lookups = new Map<string, Lookup>();

  constructor(options: ModelInfoOptions) {
    this.#options = options;
  }

  /** `onLooked` gets the answer of a new lookup, but not a recent answer that is repeated. */
  ask(server: string, wish: ModelWish, onLooked: (answer: ModelInfoAnswer) => void): Promise<ModelInfoAnswer> {
    const { clock } = this.#options;
    const known = this.#lookups.get(server);
    if (known !== undefined && clock.now() < known.until) return known.answer;
    const lookup: Lookup = { answer: this.#look(wish), until: Number.POSITIVE_INFINITY };
    this.#lookups.set(server, lookup);
    return lookup.answer.then((answer) => {
      lookup.until = clock.now() + SHARED_MS;
      onLooked(answer);
      return answer;
    });
  }

  async #look(wish: ModelWish): Promise<ModelInfoAnswer> {
    const { clock, models } = this.#options;
    // For all who ask meanwhile: one of them that gives up ends it for none.
    const choice: ModelChoice | Unanswered = await chooseModel(models, wish, { clock, token: NO_CANCELLATION });
    return choice.kind === 'model' ? { kind: 'facts', facts: choice.model.facts } : choice;
  }
}
