import * as vscode from 'vscode';
import type { PlacedContext } from '../../core/index.ts';
import { modelMessages } from '../models/modelMessages.ts';
import type { PartKind } from './wrapAnswer.ts';
import type { MessageOutline } from './wrapTurns.ts';

/** Message parts in the API, including ones without a type. */
export type Part = vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart | vscode.LanguageModelDataPart;

/**
 * The API's types cover fewer parts than models use. Unknown parts, such as thoughts, are forwarded as the same
 * objects.
 */
export function isPart(part: unknown): part is Part {
  return typeof part === 'object' && part !== null;
}

export function messageKindOf(part: Part): PartKind {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) return { kind: 'call' };
  return { kind: part instanceof vscode.LanguageModelDataPart ? 'data' : 'other' };
}

export function outlineOf({ role, content }: vscode.LanguageModelChatRequestMessage): MessageOutline {
  const texts = content.flatMap((part) => (part instanceof vscode.LanguageModelTextPart ? [part.value] : []));
  const isToolResult = content.some((part) => part instanceof vscode.LanguageModelToolResultPart);
  return { role: roleOf(role), text: texts.join(''), isToolResult };
}

/** Forwards every part unchanged. */
export function messageOf(message: vscode.LanguageModelChatRequestMessage): vscode.LanguageModelChatMessage {
  const { role, name } = message;
  const content = message.content.filter(isPart);
  const { Assistant, User } = vscode.LanguageModelChatMessageRole;
  if (role === Assistant) return new vscode.LanguageModelChatMessage(Assistant, content, name);
  // System messages arrive in a role that extensions must not send. They are sent as user messages with a mark, so that
  // they are not mistaken for the user's words.
  const mark = roleOf(role) === 'system' ? [new vscode.LanguageModelTextPart(SYSTEM_MARK)] : [];
  return new vscode.LanguageModelChatMessage(User, [...mark, ...content], name);
}

/** `system` comes first. The others go around the user's last message. */
export function withContext(
  messages: readonly vscode.LanguageModelChatMessage[],
  anchor: number,
  context: readonly PlacedContext[],
): vscode.LanguageModelChatMessage[] {
  const at = (...positions: readonly string[]): readonly vscode.LanguageModelChatMessage[] => {
    const placed = context.filter(({ position }) => positions.includes(position));
    return modelMessages({ systemPrompt: undefined, messages: placed.map(({ message }) => message) });
  };
  // Without a user message, any other position could separate a call from its result.
  if (anchor === -1) return [...at('system', 'beforeUser', 'afterUser'), ...messages];
  return [
    ...at('system'),
    ...messages.slice(0, anchor),
    ...at('beforeUser'),
    ...messages.slice(anchor, anchor + 1),
    ...at('afterUser'),
    ...messages.slice(anchor + 1),
  ];
}

const SYSTEM_MARK = 'The rest of this message contains instructions of the chat itself, not words of the user:\n\n';

function roleOf(role: vscode.LanguageModelChatMessageRole): MessageOutline['role'] {
  if (role === vscode.LanguageModelChatMessageRole.Assistant) return 'assistant';
  return role === vscode.LanguageModelChatMessageRole.User ? 'user' : 'system';
}
