import * as vscode from 'vscode';
import { waitFor } from '../../core/index.ts';
import { editorClock } from '../shared/editorClock.ts';

const TIMEOUT_MS = 10_000;
const ASCII_PER_TOKEN = 4;
/** Models do not count images. Most use a thousand tokens or less. */
const IMAGE_TOKENS = 1_000;

/** Estimates without the model. A non-ASCII character may be one token. */
export function estimate(text: string): number {
  let ascii = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 128) ascii++;
  return Math.ceil(ascii / ASCII_PER_TOKEN) + (text.length - ascii);
}

/** The countable text of a message, and an estimate for its images. */
export function countable({ content }: vscode.LanguageModelChatMessage): {
  readonly text: string;
  readonly images: number;
} {
  const texts = content.map(partText);
  const images = content.flatMap(flat).filter((part) => part instanceof vscode.LanguageModelDataPart).length;
  return { text: texts.join('\n'), images: images * IMAGE_TOKENS };
}

function flat(part: unknown): readonly unknown[] {
  return part instanceof vscode.LanguageModelToolResultPart ? part.content : [part];
}

function partText(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelToolCallPart) return `${part.name} ${JSON.stringify(part.input)}`;
  if (part instanceof vscode.LanguageModelToolResultPart) return part.content.map(partText).join('\n');
  return '';
}

/** Counts tokens with the model. Uses estimates after a timeout. Never rejects. */
export class ChatTokens {
  readonly #model: vscode.LanguageModelChat;
  #isEstimating = false;

  constructor(model: vscode.LanguageModelChat) {
    this.#model = model;
  }

  async count(text: string): Promise<number> {
    if (text === '') return 0;
    const counted = this.#isEstimating ? undefined : await this.#ask(text);
    if (counted !== undefined && Number.isFinite(counted) && counted >= 0) return Math.ceil(counted);
    this.#isEstimating = true;
    return estimate(text);
  }

  async #ask(text: string): Promise<number | undefined> {
    const source = new vscode.CancellationTokenSource();
    try {
      const counting = Promise.resolve(this.#model.countTokens(text, source.token));
      const counted = await waitFor(counting, { clock: editorClock, ms: TIMEOUT_MS });
      if (counted.kind === 'done') return counted.value;
      source.cancel();
      return undefined;
    } catch {
      return undefined;
    } finally {
      source.dispose();
    }
  }
}
