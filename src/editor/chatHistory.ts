import * as vscode from 'vscode';
import { isObject, type ModelMessage } from '../core/index.ts';

/** Where a turn stands: the same conversation for as long as the chat goes on. */
export interface TurnPlace {
  readonly conversationId: string;
  readonly turnIndex: number;
}

type History = vscode.ChatContext['history'];

/** More than a person reads back, and less than any model takes. */
const MAX_TURNS = 40;

/** The place after the last turn that says where it stood; in a new chat, a new conversation. */
export function placeIn(history: History, newId: () => string): TurnPlace {
  for (const turn of [...history].reverse()) {
    const place = turn instanceof vscode.ChatResponseTurn ? placeOf(turn.result.metadata) : undefined;
    if (place !== undefined) return { conversationId: place.conversationId, turnIndex: place.turnIndex + 1 };
  }
  return { conversationId: `conv_${newId()}`, turnIndex: 0 };
}

function placeOf(metadata: unknown): TurnPlace | undefined {
  const place = isObject(metadata) ? metadata['mcpl'] : undefined;
  if (!isObject(place)) return undefined;
  const { conversationId, turnIndex } = place;
  if (typeof conversationId !== 'string' || typeof turnIndex !== 'number') return undefined;
  return { conversationId, turnIndex };
}

/** What was said before, as far as it was text. */
export function historyOf(history: History): readonly ModelMessage[] {
  return history.slice(-MAX_TURNS).flatMap((turn): readonly ModelMessage[] => {
    if (turn instanceof vscode.ChatRequestTurn) return [messageOf('user', turn.prompt)];
    const text = turn.response
      .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
      .join('');
    return text === '' ? [] : [messageOf('assistant', withoutNote(text))];
  });
}

/** What was said under an answer is about it, and nothing that the model said. */
function withoutNote(text: string): string {
  const at = text.lastIndexOf('\n\n---\n*');
  return at < 0 ? text : text.slice(0, at);
}

function messageOf(role: ModelMessage['role'], text: string): ModelMessage {
  return { role, content: [{ type: 'text', text }] };
}
