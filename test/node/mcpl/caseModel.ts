import {
  blockText,
  type CancellationToken,
  type LanguageModel,
  type ModelChoice,
  type ModelRequest,
  type ModelRunEnd,
  type Models,
  type ModelSelection,
} from '../../../src/core/index.ts';

/** The model's answer to one request: pieces in order, or a failure. */
export type Said = string | readonly string[] | ModelRunEnd;

/** A model whose answers the test decides. It counts one token per word. */
export class CaseModel implements Models {
  readonly facts = { id: 'case-model', vendor: 'case', contextWindow: 8_000, capabilities: ['text'] } as const;
  /** The requests, oldest first. */
  readonly asked: ModelRequest[] = [];
  /** The server that each choice was for. `undefined` for the user's own turn. */
  readonly chosenFor: (string | undefined)[] = [];
  says: (request: ModelRequest, token: CancellationToken) => Said | Promise<Said> = () => 'The answer.';
  /** Returned instead of the model, if set. */
  absent: Extract<ModelChoice, { kind: 'failed' }> | undefined;

  choose({ server }: ModelSelection): Promise<ModelChoice> {
    this.chosenFor.push(server);
    if (this.absent !== undefined) return Promise.resolve(this.absent);
    const model: LanguageModel = {
      facts: this.facts,
      count: (text) => Promise.resolve(text.split(/\s+/).filter((word) => word !== '').length),
      run: (request, onText, token) => this.#run(request, onText, token),
    };
    return Promise.resolve({ kind: 'model', model });
  }

  /** Each request as text: `user: …` and `assistant: …`, blocks joined by a line. */
  get prompts(): readonly string[] {
    return this.asked.map(({ messages }) =>
      messages.map(({ role, content }) => `${role}: ${content.map((block) => blockText(block)).join('\n')}`).join('\n'),
    );
  }

  async #run(request: ModelRequest, onText: (delta: string) => void, token: CancellationToken): Promise<ModelRunEnd> {
    this.asked.push(request);
    const said = await this.says(request, token);
    if (typeof said === 'object' && 'kind' in said) return said;
    for (const piece of typeof said === 'string' ? [said] : said) onText(piece);
    return { kind: 'ended', finishReason: 'end_turn' };
  }
}
