import * as vscode from 'vscode';
import { HostError } from '../../core/index.ts';
import { leftOut, type Piece, roomFor } from './chatBudget.ts';
import { type ChatTokens, countable, estimate } from './chatTokens.ts';

type Message = vscode.LanguageModelChatMessage;

/** A part of the model's input, which is dropped as a whole or not at all. */
export interface PromptPart {
  readonly kind: Piece['kind'];
  readonly messages: readonly Message[];
  /** Replaces the part if it is dropped. */
  readonly instead?: readonly Message[];
}

export interface Prompt {
  readonly messages: Message[];
  readonly inputTokens: number;
  /** Number of dropped parts by kind. */
  readonly left: Readonly<Record<'turn' | 'reference' | 'result', number>>;
}

/** Maximum counts by the model, because each costs as much as reading the input. */
const MAX_COUNTS = 3;
const NOTHING_LEFT = { turn: 0, reference: 0, result: 0 };

/** The parts that fit the model. Rejects with a `HostError` if even the user's message does not. */
export async function fitted(
  parts: readonly PromptPart[],
  tools: readonly vscode.LanguageModelChatTool[],
  model: vscode.LanguageModelChat,
  tokens: ChatTokens,
): Promise<Prompt> {
  const limit = roomFor(model.maxInputTokens);
  const toolText = tools.length === 0 ? '' : JSON.stringify(tools);
  const estimates = parts.map(({ messages }) => sizeOf(messages));
  let scale = 1;
  let out: ReadonlySet<number> = new Set();
  for (let counts = 0; ; counts++) {
    const shown = shownParts(parts, out);
    const text = [toolText, ...shown.map((message) => countable(message).text)].join('\n');
    const images = shown.reduce((sum, message) => sum + countable(message).images, 0);
    const counted = (counts < MAX_COUNTS ? await tokens.count(text) : estimate(text)) + images;
    if (counted <= limit) return { messages: shown, inputTokens: counted, left: leftBy(parts, out) };
    if (counts >= MAX_COUNTS) throw tooLong(model);
    // Scaled by the model's own count, with some reserve.
    scale = Math.max(scale * (counts === 0 ? 1 : 1.1), counted / (estimate(text) + images)) * 1.02;
    const pieces = parts.map(({ kind }, index): Piece => ({ kind, tokens: (estimates[index] ?? 0) * scale }));
    const next = leftOut([...pieces, { kind: 'kept', tokens: estimate(toolText) * scale }], limit);
    if (next === undefined) throw tooLong(model);
    out = next;
  }
}

function shownParts(parts: readonly PromptPart[], out: ReadonlySet<number>): Message[] {
  return parts.flatMap(({ messages, instead = [] }, index) => (out.has(index) ? instead : messages));
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const { text, images } = countable(message);
    return sum + estimate(text) + images;
  }, 0);
}

function leftBy(parts: readonly PromptPart[], out: ReadonlySet<number>): Prompt['left'] {
  const left = { ...NOTHING_LEFT };
  for (const index of out) {
    const kind = parts[index]?.kind ?? 'kept';
    if (kind !== 'kept') left[kind]++;
  }
  return left;
}

function tooLong({ name, maxInputTokens }: vscode.LanguageModelChat): HostError {
  const message = vscode.l10n.t(
    'Your message and attachments exceed the limit of "{0}", which is {1} tokens.',
    name,
    maxInputTokens.toLocaleString('en'),
  );
  return new HostError('MESSAGE_TOO_LARGE', message, {
    layer: 'host',
    effect: 'none',
    suggestion: vscode.l10n.t('Write or attach less, switch tools off, or choose a model with a larger limit.'),
  });
}
