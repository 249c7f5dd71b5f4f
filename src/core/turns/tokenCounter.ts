import { NO_CANCELLATION } from '../base/cancellation.ts';
import type { ContentBlock } from '../model/content.ts';
import type { ModelMessage } from '../model/inference.ts';
import type { LanguageModel } from '../modelPorts.ts';
import type { Clock } from '../ports.ts';
import { waitFor } from '../base/patience.ts';

const TIMEOUT_MS = 10_000;
/** Above every real count. Sums of it are still exact integers. */
const MAX_TOKENS = 1_000_000_000;
/** A common estimate for unknown texts. */
const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/**
 * Counts tokens with the model that reads or wrote the text. Switches to estimates after a model fails to count. Never
 * rejects.
 */
export class TokenCounter {
  readonly #clock: Clock;
  readonly #model: Pick<LanguageModel, 'count'>;
  #isEstimating = false;
  #isEstimate = false;

  constructor(clock: Clock, model: Pick<LanguageModel, 'count'>) {
    this.#clock = clock;
    this.#model = model;
  }

  /** Whether any count was an estimate. */
  get isEstimate(): boolean {
    return this.#isEstimate;
  }

  async count(text: string): Promise<number> {
    if (text === '') return 0;
    const counted = this.#isEstimating ? undefined : await this.#ask(text);
    if (counted !== undefined && counted >= 0 && counted <= MAX_TOKENS) return Math.ceil(counted);
    this.#isEstimating = true;
    return this.estimate(text);
  }

  /** Estimates without the model, if there is no time to ask it. */
  estimate(text: string): number {
    this.#isEstimate ||= text !== '';
    return estimatedTokens(text);
  }

  async #ask(text: string): Promise<number | undefined> {
    const patience = { clock: this.#clock, ms: TIMEOUT_MS };
    try {
      const waited = await waitFor(this.#model.count(text, NO_CANCELLATION), patience);
      return waited.kind === 'done' ? waited.value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The text of messages. Models do not count the tokens of images. */
export function countableText(messages: readonly ModelMessage[]): string {
  return messages
    .flatMap(({ content }) => content.map(textOf))
    .filter((text) => text !== '')
    .join('\n');
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource': {
      const { text } = block.resource;
      return typeof text === 'string' ? text : '';
    }
    case 'resource_link':
      return `${block.name} ${block.uri}`;
    case 'unknown':
      return JSON.stringify(block.value);
    case 'image':
    case 'audio':
      return '';
  }
}
