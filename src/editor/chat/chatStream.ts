import * as vscode from 'vscode';
import { cancelled, HostError } from '../../core/index.ts';
import { failureOf } from '../models/editorModel.ts';

/** Time after which a silent model counts as failed. */
const PATIENCE_MS = 300_000;

/** A model's answer. */
export interface Streamed {
  readonly text: string;
  readonly calls: readonly vscode.LanguageModelToolCallPart[];
  /** All parts in order, with adjacent text joined. Only the model understands the others. */
  readonly parts: readonly unknown[];
  /** Parts that cannot be shown, such as images. */
  readonly unshown: readonly string[];
}

/**
 * Sends a request to the model and reports each piece of text. Rejects with a `HostError`: NO_MODEL, CANCELLED,
 * TIMEOUT.
 */
export async function askModel(
  model: vscode.LanguageModelChat,
  messages: vscode.LanguageModelChatMessage[],
  tools: vscode.LanguageModelChatTool[],
  onText: (delta: string) => void,
  token: vscode.CancellationToken,
): Promise<Streamed> {
  const source = new vscode.CancellationTokenSource();
  const stop = token.onCancellationRequested(() => source.cancel());
  try {
    const options = { justification: vscode.l10n.t('You asked @mcpl.'), ...(tools.length === 0 ? {} : { tools }) };
    // The editor may ask the user first, who may take any time.
    const { stream } = await orStopped(Promise.resolve(model.sendRequest(messages, options, source.token)), token);
    return await collect(stream[Symbol.asyncIterator](), onText, token);
  } catch (error) {
    source.cancel();
    if (token.isCancellationRequested) throw cancelled('The turn');
    if (error instanceof HostError) throw error;
    const { message, reason } = failureOf(error);
    throw new HostError('NO_MODEL', message, { layer: 'host', effect: 'none', category: reason, cause: error });
  } finally {
    stop.dispose();
    source.dispose();
  }
}

async function collect(
  stream: AsyncIterator<unknown>,
  onText: (delta: string) => void,
  token: vscode.CancellationToken,
): Promise<Streamed> {
  const parts: unknown[] = [];
  const calls: vscode.LanguageModelToolCallPart[] = [];
  const unshown: string[] = [];
  let text = '';
  let run = '';
  const flush = (): void => {
    if (run !== '') parts.push(new vscode.LanguageModelTextPart(run));
    run = '';
  };
  for (;;) {
    const next = await orStopped(stream.next(), token, PATIENCE_MS);
    if (next.done === true) break;
    const part = next.value;
    if (part instanceof vscode.LanguageModelTextPart) {
      text += part.value;
      run += part.value;
      onText(part.value);
      continue;
    }
    flush();
    parts.push(part);
    if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
    if (part instanceof vscode.LanguageModelDataPart && /^(image|audio|video)\//.test(part.mimeType))
      unshown.push(part.mimeType);
  }
  flush();
  return { text, calls, parts, unshown };
}

/** Rejects on cancellation or timeout. The work then continues without effect. */
async function orStopped<T>(work: Promise<T>, token: vscode.CancellationToken, ms?: number): Promise<T> {
  if (token.isCancellationRequested) throw cancelled('The turn');
  let timer: NodeJS.Timeout | undefined;
  let stop: vscode.Disposable | undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = token.onCancellationRequested(() => reject(cancelled('The turn')));
    if (ms !== undefined) timer = setTimeout(() => reject(silent()), ms);
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    stop?.dispose();
  }
}

function silent(): HostError {
  return new HostError('TIMEOUT', vscode.l10n.t('The language model has not responded for five minutes.'), {
    layer: 'host',
    effect: 'none',
    suggestion: vscode.l10n.t('Ask again, or choose another model.'),
  });
}

/** The answer for the next round, with the shown text in place of the model's. */
export function answerMessage({ text, parts }: Streamed, shown: string): vscode.LanguageModelChatMessage | undefined {
  const others = parts.filter((part) => !(part instanceof vscode.LanguageModelTextPart));
  const at = parts.findIndex((part) => part instanceof vscode.LanguageModelTextPart);
  const replaced = shown === '' ? [] : [new vscode.LanguageModelTextPart(shown)];
  const before = at < 0 ? 0 : at;
  const content = text === shown ? parts : [...others.slice(0, before), ...replaced, ...others.slice(before)];
  const known = content.filter(isPart);
  if (known.length === 0) return undefined;
  return new vscode.LanguageModelChatMessage(vscode.LanguageModelChatMessageRole.Assistant, known);
}

/** Accepts every part of the model by reference, because unknown parts have no other form. */
function isPart(part: unknown): part is vscode.LanguageModelTextPart {
  return typeof part === 'object' && part !== null;
}
