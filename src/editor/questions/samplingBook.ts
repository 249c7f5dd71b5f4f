import type * as vscode from 'vscode';
import {
  type Clock,
  Deferred,
  type ModelReservation,
  type ModelUseRecord,
  type ModelUses,
  type SamplingRequest,
  type SamplingResult,
} from '../../core/index.ts';

/** What is kept of models that servers used, and what they may use without a person's look at it. */
export type SamplingBook = Pick<ModelUses, 'reserve' | 'record'>;

/** A place in the budget of a server, until the use is written down. */
export type Reserved = Extract<ModelReservation, { kind: 'reserved' }>;

export interface EndedRun {
  readonly server: string;
  readonly model: vscode.LanguageModelChat;
  readonly request: SamplingRequest;
  readonly result: SamplingResult | undefined;
  readonly outcome: ModelUseRecord['outcome'];
  readonly at: number;
}

const COUNT_MS = 5_000;
/** A common measure for texts that the model does not count. */
const CHARACTERS_PER_TOKEN = 4;

/** A run with the tokens that it took: of texts, since of pictures no model says it. Never rejects. */
export async function countedUse(run: EndedRun, clock: Clock): Promise<ModelUseRecord> {
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
  const estimate = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const late = new Deferred<number>();
  const patience = clock.delay(COUNT_MS, () => late.resolve(estimate));
  try {
    const tokens = await Promise.race([late.promise, model.countTokens(text)]);
    return Number.isFinite(tokens) && tokens >= 0 ? Math.ceil(tokens) : estimate;
  } catch {
    return estimate;
  } finally {
    patience.dispose();
  }
}
