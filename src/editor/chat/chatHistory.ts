import * as vscode from 'vscode';
import { clip, isObject, type SamplingMessage } from '../../core/index.ts';
import { boundedRounds, type KeptRound, roundMessages, roundsIn } from './chatSteps.ts';

/** Where a turn stands: the same conversation for as long as the chat goes on. */
export interface TurnPlace {
  readonly conversationId: string;
  /** From 0: one for all rounds of a turn (MCPL §10.1), which their inference ids tell apart. */
  readonly turnIndex: number;
}

/** What may be done next, for the follow-ups below the answer. */
export interface TurnEnd {
  /** The model was not done. */
  readonly isUnfinished?: boolean;
  /** Names of checkpoints that one can go back to. */
  readonly checkpoints?: readonly string[];
}

/** What the editor keeps with a turn, and gives back in the history. */
export interface TurnMetadata {
  readonly mcpl: TurnPlace &
    TurnEnd & {
      /** What stands below the answer: it is about it, and nothing that the model said. */
      readonly note?: string;
      /** What the model was asked, where that is not what the person wrote. */
      readonly asked?: string;
      /** The way of a turn in which tools were called. */
      readonly rounds?: readonly KeptRound[];
    };
}

export interface TurnRecord extends TurnEnd {
  readonly note?: string | undefined;
  readonly asked?: string | undefined;
  readonly rounds: readonly KeptRound[];
}

type History = vscode.ChatContext['history'];

/** More than a person reads back. What does not fit into a model is left out later, by the turn. */
const MAX_TURNS = 100;
const LONGEST_ASKED = 10_000;

export function metadataOf({ conversationId, turnIndex }: TurnPlace, record: TurnRecord): TurnMetadata {
  const { note, asked, rounds, isUnfinished = false, checkpoints = [] } = record;
  return {
    mcpl: {
      conversationId,
      turnIndex,
      ...(note === undefined ? {} : { note }),
      ...(asked === undefined ? {} : { asked: clip(asked, LONGEST_ASKED) }),
      ...(rounds.some(({ calls }) => calls.length > 0) ? { rounds: boundedRounds(rounds) } : {}),
      ...(isUnfinished ? { isUnfinished } : {}),
      ...(checkpoints.length === 0 ? {} : { checkpoints }),
    },
  };
}

/** The place after the last turn that says where it stood; in a new chat, a new conversation. */
export function placeIn(history: History, session: string | undefined, newId: () => string): TurnPlace {
  for (const turn of [...history].reverse()) {
    const place = turn instanceof vscode.ChatResponseTurn ? placeOf(turn.result.metadata) : undefined;
    // A chat that was made of another one is a conversation of its own.
    if (place !== undefined) return { conversationId: session ?? place.conversationId, turnIndex: place.turnIndex + 1 };
  }
  return { conversationId: session ?? `conv_${newId()}`, turnIndex: 0 };
}

function placeOf(metadata: unknown): TurnPlace | undefined {
  const { conversationId, turnIndex } = keptIn(metadata);
  if (typeof conversationId !== 'string' || typeof turnIndex !== 'number') return undefined;
  return { conversationId, turnIndex };
}

/** What our own metadata says; empty where it is none of ours. */
export function keptIn(metadata: unknown): Readonly<Record<string, unknown>> {
  const kept = isObject(metadata) ? metadata['mcpl'] : undefined;
  return isObject(kept) ? kept : {};
}

/** What was said before, turn by turn: texts, and the calls of tools with what they gave. */
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
  // What was asked of the extension itself is nothing that a model was told.
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
