import * as vscode from 'vscode';
import { clip, isObject, type SamplingMessage } from '../../core/index.ts';
import { boundedRounds, type KeptRound, roundMessages, roundsIn } from './chatSteps.ts';

/** The position of a turn in a conversation, which lasts as long as the chat. */
export interface TurnPosition {
  readonly conversationId: string;
  /** From 0. All rounds of a turn share it (MCPL §10.1); their inference ids differ. */
  readonly turnIndex: number;
}

/** Facts for the suggested prompts. */
interface TurnEnd {
  /** The model had not finished. */
  readonly isUnfinished?: boolean;
  /** Names of checkpoints for a rollback. */
  readonly checkpoints?: readonly string[];
}

/** Metadata that the editor stores with a turn and returns in the history. */
interface TurnMetadata {
  readonly mcpl: TurnPosition &
    TurnEnd & {
      /** The note below the answer, which the model did not write. */
      readonly note?: string;
      /** The question to the model, if it differs from the user's text. */
      readonly asked?: string;
      /** The rounds of a turn with tool calls. */
      readonly rounds?: readonly KeptRound[];
    };
}

interface TurnRecord extends TurnEnd {
  readonly note?: string | undefined;
  readonly asked?: string | undefined;
  readonly rounds: readonly KeptRound[];
}

type History = vscode.ChatContext['history'];

/** More turns than a user reads back. Turns that do not fit the model are dropped later. */
const MAX_TURNS = 100;
const MAX_ASKED = 10_000;

export function metadataOf({ conversationId, turnIndex }: TurnPosition, record: TurnRecord): TurnMetadata {
  const { note, asked, rounds, isUnfinished = false, checkpoints = [] } = record;
  return {
    mcpl: {
      conversationId,
      turnIndex,
      ...(note === undefined ? {} : { note }),
      ...(asked === undefined ? {} : { asked: clip(asked, MAX_ASKED) }),
      ...(rounds.some(({ calls }) => calls.length > 0) ? { rounds: boundedRounds(rounds) } : {}),
      ...(isUnfinished ? { isUnfinished } : {}),
      ...(checkpoints.length === 0 ? {} : { checkpoints }),
    },
  };
}

/** The position after the last turn with metadata, or a new conversation. */
export function positionIn(history: History, session: string | undefined, newId: () => string): TurnPosition {
  for (const turn of [...history].reverse()) {
    const position = turn instanceof vscode.ChatResponseTurn ? positionOf(turn.result.metadata) : undefined;
    // A chat copied from another one is a separate conversation.
    if (position !== undefined)
      return { conversationId: session ?? position.conversationId, turnIndex: position.turnIndex + 1 };
  }
  return { conversationId: session ?? `conv_${newId()}`, turnIndex: 0 };
}

function positionOf(metadata: unknown): TurnPosition | undefined {
  const { conversationId, turnIndex } = keptIn(metadata);
  if (typeof conversationId !== 'string' || typeof turnIndex !== 'number') return undefined;
  return { conversationId, turnIndex };
}

/** The extension's own metadata. Empty if there is none. */
export function keptIn(metadata: unknown): Readonly<Record<string, unknown>> {
  const kept = isObject(metadata) ? metadata['mcpl'] : undefined;
  return isObject(kept) ? kept : {};
}

/** Earlier turns: texts, and tool calls with their results. */
export function turnsOf(history: History, hasTools: boolean): readonly (readonly SamplingMessage[])[] {
  const turns: (readonly SamplingMessage[])[] = [];
  let asked: vscode.ChatRequestTurn | undefined;
  for (const turn of history.slice(-MAX_TURNS * 2)) {
    if (turn instanceof vscode.ChatRequestTurn) {
      if (asked !== undefined && asked.command === undefined) turns.push([textMessage('user', asked.prompt)]);
      asked = turn;
      continue;
    }
    if (asked !== undefined) turns.push(messagesOf(asked, turn, hasTools));
    asked = undefined;
  }
  return turns.filter((messages) => messages.length > 0);
}

function messagesOf(
  { prompt, command }: vscode.ChatRequestTurn,
  { response, result }: vscode.ChatResponseTurn,
  hasTools: boolean,
): readonly SamplingMessage[] {
  const { asked, note, rounds, turnIndex } = keptIn(result.metadata);
  // Commands to the extension were never sent to a model.
  if (command !== undefined && turnIndex === undefined) return [];
  const question = textMessage('user', typeof asked === 'string' ? asked : prompt);
  const way = roundMessages(roundsIn(rounds), hasTools);
  if (way.length > 0) return [question, ...way];
  const text = response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
    .join('');
  return text === '' ? [question] : [question, textMessage('assistant', withoutNote(text, note))];
}

function withoutNote(text: string, note: unknown): string {
  const at = typeof note === 'string' ? text.lastIndexOf(note) : -1;
  return at < 0 ? text : text.slice(0, at);
}

function textMessage(role: SamplingMessage['role'], text: string): SamplingMessage {
  return { role, content: [{ type: 'text', text }] };
}
