import type { ModelPart } from '../../../media/mcp-live.d.ts';
import {
  blockText,
  cancelled,
  CancellationSource,
  type CancellationToken,
  type ContentBlock,
  estimatedTokens,
  isCancellation,
  type LanguageModel,
  messageOf,
  type ModelFacts,
  type ModelFailure,
  type ModelRequest,
  type ModelRunEnd,
  unlessCancelled,
} from '../../core/index.ts';
import { contributorText } from '../shared/contributorText.ts';
import type { AddedRunner } from './modelRunners.ts';
import { plainText } from '../shared/plainText.ts';

/** Maximum characters of an answer. */
const MAX_TEXT = 4_000_000;
const COUNT_MS = 5_000;

/**
 * Selects a model by name: a part of its id or name, optionally with its extension's id. Without a name, only if the
 * editor has no models, so that prompts do not go to another extension unexpectedly.
 */
export function chooseRunner(
  runners: readonly AddedRunner[],
  wanted: string,
  editorModels: number,
): AddedRunner | undefined {
  if (wanted === '') return editorModels === 0 ? runners[0] : undefined;
  const named = (isMeant: (name: string) => boolean): AddedRunner | undefined =>
    runners.find(({ id, name, by }) => [id, name, `${by.id}/${id}`].some((text) => isMeant(text.toLowerCase())));
  return named((each) => each === wanted) ?? named((each) => each.includes(wanted));
}

/** A model of another extension. Its run always ends, and failures name the extension. */
export class RunnerModel implements LanguageModel {
  readonly added: AddedRunner;
  readonly #countMs: number;

  constructor(added: AddedRunner, countMs = COUNT_MS) {
    this.added = added;
    this.#countMs = countMs;
  }

  get facts(): ModelFacts {
    const { id, by, maxInputTokens } = this.added;
    return { id, vendor: by.id, contextWindow: maxInputTokens, capabilities: [] };
  }

  async run(request: ModelRequest, onText: (delta: string) => void, token: CancellationToken): Promise<ModelRunEnd> {
    const source = new CancellationSource();
    const cancels = token.onCancellationRequested(() => source.cancel());
    if (token.isCancellationRequested) source.cancel();
    let isOver = false;
    let length = 0;
    let garbage: string | undefined;
    const take = (delta: unknown): void => {
      if (isOver || source.isCancelled) return;
      if (typeof delta !== 'string') garbage = 'a piece of its answer is no text';
      else if ((length += delta.length) > MAX_TEXT) garbage = 'its answer does not end';
      else return onText(delta);
      source.cancel();
    };
    try {
      const messages = request.messages.map(({ role, content }) => ({ role, content: content.map(partOf) }));
      const options = { maxTokens: request.maxTokens, temperature: request.temperature };
      // Foreign code, which may throw synchronously.
      const running = (async () => this.added.runner.run(messages, take, source.token, options))();
      await unlessCancelled(running, source.token, 'The model');
      return garbage === undefined ? { kind: 'ended', finishReason: 'end_turn' } : this.#failed(garbage);
    } catch (error) {
      if (garbage !== undefined) return this.#failed(garbage);
      if (source.isCancelled || isCancellation(error))
        return { kind: 'failed', reason: 'cancelled', message: 'The request was cancelled.' };
      return this.#failed(messageOf(error));
    } finally {
      isOver = true;
      cancels.dispose();
      // Cancels a run that continues in the background.
      source.cancel();
    }
  }

  async count(text: string, token: CancellationToken): Promise<number> {
    const estimate = estimatedTokens(text);
    if (this.added.runner.count === undefined) return estimate;
    const source = new CancellationSource();
    const cancels = token.onCancellationRequested(() => source.cancel());
    const timer = setTimeout(() => source.cancel(), this.#countMs);
    try {
      const counting = (async () => this.added.runner.count?.(text, source.token))();
      const counted: unknown = await unlessCancelled(counting, source.token, 'Counting');
      return typeof counted === 'number' && Number.isFinite(counted) && counted >= 0 ? Math.ceil(counted) : estimate;
    } catch {
      if (token.isCancellationRequested) throw cancelled('Counting');
      return estimate;
    } finally {
      clearTimeout(timer);
      cancels.dispose();
    }
  }

  #failed(reason: string): ModelFailure {
    const { name, by } = this.added;
    const why = plainText(reason, 300)
      .trimEnd()
      .replace(/[.!]+$/, '');
    const what = `The language model "${plainText(name, 100)}" of the extension ${contributorText(by)} failed`;
    const message = `${what}: ${why}. Ask again, or choose another model.`;
    return { kind: 'failed', reason: 'failed', message };
  }
}

function partOf(block: ContentBlock): ModelPart {
  return block.type === 'image'
    ? { type: 'image', data: block.data, mimeType: block.mimeType }
    : { type: 'text', text: blockText(block) };
}
