import * as vscode from 'vscode';
import { isObject, type ModelMessage } from '../core/index.ts';

/** Where a turn stands: the same conversation for as long as the chat goes on. */
export interface TurnPlace {
  readonly conversationId: string;
  readonly turnIndex: number;
}

/** What the editor keeps with a turn, and gives back in the history. */
export interface TurnMetadata {
  readonly mcpl: TurnPlace & {
    /** What stands below the answer: it is about it, and nothing that the model said. */
    readonly note?: string;
  };
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
  const { conversationId, turnIndex } = keptIn(metadata);
  if (typeof conversationId !== 'string' || typeof turnIndex !== 'number') return undefined;
  return { conversationId, turnIndex };
}

function keptIn(metadata: unknown): Readonly<Record<string, unknown>> {
  const kept = isObject(metadata) ? metadata['mcpl'] : undefined;
  return isObject(kept) ? kept : {};
}

/** What was said before, as far as it was text. */
export function historyOf(history: History): readonly ModelMessage[] {
  return history.slice(-MAX_TURNS).flatMap((turn): readonly ModelMessage[] => {
    // What was asked of the extension itself is nothing that a model was told.
    if (turn.command !== undefined) return [];
    if (turn instanceof vscode.ChatRequestTurn) return [messageOf('user', turn.prompt)];
    const text = turn.response
      .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
      .join('');
    return text === '' ? [] : [messageOf('assistant', withoutNote(text, keptIn(turn.result.metadata)['note']))];
  });
}

function withoutNote(text: string, note: unknown): string {
  const at = typeof note === 'string' ? text.lastIndexOf(note) : -1;
  return at < 0 ? text : text.slice(0, at);
}

function messageOf(role: ModelMessage['role'], text: string): ModelMessage {
  return { role, content: [{ type: 'text', text }] };
}
