import {
  blockText,
  type CancellationToken,
  estimatedTokens,
  type FinishReason,
  isJsonObject,
  type Json,
  type LanguageModel,
  Malformed,
  MemberReader,
  MODEL_FAILURES,
  type ModelChoice,
  type ModelFacts,
  type ModelRequest,
  type ModelRunEnd,
  type Models,
  type ModelSelection,
} from '../../core/index.ts';
import type { DriverModel } from './controlCommands.ts';
import type { Question, Questions } from './questions.ts';

type Answer = { readonly kind: 'said'; readonly pieces: readonly string[]; readonly finish: FinishReason } | Failed;
type Failed = Extract<ModelRunEnd, { kind: 'failed' }>;

const NO_MODEL: ModelChoice = {
  kind: 'failed',
  reason: 'no_model',
  message: 'The driver has given no model: give one with the command "model".',
};
const FINISHES: readonly FinishReason[] = ['end_turn', 'max_tokens', 'stop_sequence'];
const DEFAULT_WINDOW = 100_000;

/** The driver's single model. There is none until the driver sets it. */
export class DriverModels implements Models {
  readonly #questions: Questions;
  #model: DriverModel | undefined;

  constructor(questions: Questions) {
    this.#questions = questions;
  }

  use(model: DriverModel | undefined): void {
    this.#model = model;
  }

  choose(wanted: ModelSelection): Promise<ModelChoice> {
    const model = this.#model;
    if (model === undefined) return Promise.resolve(NO_MODEL);
    return Promise.resolve({ kind: 'model', model: new PlayedModel(model, wanted, this.#questions) });
  }
}

class PlayedModel implements LanguageModel {
  readonly facts: ModelFacts;
  readonly #model: DriverModel;
  readonly #wanted: ModelSelection;
  readonly #questions: Questions;

  constructor(model: DriverModel, wanted: ModelSelection, questions: Questions) {
    this.facts = model.facts;
    this.#model = model;
    this.#wanted = wanted;
    this.#questions = questions;
  }

  async run(request: ModelRequest, onText: (delta: string) => void, token: CancellationToken): Promise<ModelRunEnd> {
    const { reply } = this.#model;
    const answer: Answer =
      reply === undefined
        ? await this.#questions.ask(modelQuestion(this.facts.id, this.#wanted, request), token)
        : { kind: 'said', pieces: [reply], finish: 'end_turn' };
    if (token.isCancellationRequested) return CANCELLED;
    if (answer.kind === 'failed') return answer;
    for (const piece of answer.pieces) onText(piece);
    return { kind: 'ended', finishReason: answer.finish };
  }

  count(text: string): Promise<number> {
    return Promise.resolve(estimatedTokens(text));
  }
}

const CANCELLED: Failed = { kind: 'failed', reason: 'cancelled', message: 'The request was cancelled.' };
const LEFT_OPEN: Failed = { kind: 'failed', reason: 'failed', message: 'The driver gave no answer.' };

function modelQuestion(model: string, { server, name }: ModelSelection, request: ModelRequest): Question<Answer> {
  const { messages, maxTokens, temperature, justification } = request;
  return {
    details: {
      kind: 'model',
      model,
      server,
      wanted: name,
      justification,
      messages: messages.map(({ role, content }) => ({ role, text: content.map(blockText).join('\n') })),
      maxTokens,
      temperature,
    },
    dismissed: LEFT_OPEN,
    decode: decodeAnswer,
  };
}

function decodeAnswer(given: Json): Answer | undefined {
  if (given === null) return LEFT_OPEN;
  if (typeof given === 'string') return { kind: 'said', pieces: [given], finish: 'end_turn' };
  if (!isJsonObject(given)) return undefined;
  const answer = new MemberReader(given);
  if (answer.has('failed')) return failureOf(answer);
  const finish = answer.has('finishReason') ? answer.choice('finishReason', FINISHES) : 'end_turn';
  if (answer.has('text')) return { kind: 'said', pieces: [answer.text('text')], finish };
  if (!answer.has('chunks')) return undefined;
  return { kind: 'said', pieces: answer.textList('chunks'), finish };
}

function failureOf(answer: MemberReader): Failed {
  const reason = answer.choice('failed', MODEL_FAILURES);
  return { kind: 'failed', reason, message: answer.optionalText('message') ?? `The model failed: ${reason}.` };
}

/** Decodes the command that sets the model, or removes it with `null`. */
export function decodeModel(line: MemberReader): DriverModel | undefined {
  const model = line.json('model');
  if (model === null) return undefined;
  if (!isJsonObject(model)) throw new Malformed('"model" must be an object, such as {"id": "stub"}, or null.');
  const given = new MemberReader(model);
  const facts: ModelFacts = {
    id: given.text('id'),
    vendor: given.optionalText('vendor') ?? 'driver',
    contextWindow: given.optionalCount('contextWindow', { least: 1 }) ?? DEFAULT_WINDOW,
    capabilities: given.has('capabilities') ? given.textList('capabilities') : [],
  };
  return { facts, reply: given.optionalText('reply') };
}
