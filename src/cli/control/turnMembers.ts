import {
  decodeResult,
  DEFAULT_LIMITS,
  type HostLimits,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  LEAST_LIMITS,
  type ModelMessage,
  MOST_LIMITS,
} from '../../core/index.ts';
import { Malformed, object, optionalCount, optionalFlag, optionalText, text } from './members.ts';

interface TurnMembers {
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly message: string | null;
  readonly history: readonly ModelMessage[];
}

export function turnIn(line: JsonObject): TurnMembers {
  const message = line['message'] === null ? null : text(line, 'message');
  const history = historyIn(line);
  if (message === null && history.length === 0) throw new Malformed('A turn needs a "message" or a "history".');
  return {
    conversationId: optionalText(line, 'conversationId') ?? 'driver',
    turnIndex: optionalCount(line, 'turnIndex') ?? 0,
    message,
    history,
  };
}

/** What was said before in a conversation: `{"role": "user", "content": …}` each, with a text or blocks as in MCP. */
function historyIn({ history }: JsonObject): readonly ModelMessage[] {
  if (history === undefined) return [];
  if (!isJsonArray(history)) throw new Malformed('"history" must be a list of messages.');
  return history.map(messageOf);
}

function messageOf(value: Json): ModelMessage {
  if (!isJsonObject(value)) throw new Malformed('"history" must be a list of messages.');
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant') throw new Malformed('"role" must be "user" or "assistant".');
  if (typeof content !== 'string' && !isJsonArray(content) && !isJsonObject(content))
    throw new Malformed('"content" must be a text, a content block or a list of them.');
  return { role, content: decodeResult({ content }).blocks };
}

/** Whole: what is left out has its default. */
export function limitsIn(line: JsonObject): HostLimits | undefined {
  const given = object(line, 'limits');
  if (given === undefined) return undefined;
  const count = (name: keyof typeof MOST_LIMITS): number =>
    optionalCount(given, name, { least: LEAST_LIMITS[name], most: MOST_LIMITS[name] }) ?? DEFAULT_LIMITS[name];
  return {
    pushPerMinute: count('pushPerMinute'),
    maxEvents: count('maxEvents'),
    auditDays: count('auditDays'),
    model: optionalText(given, 'model') ?? DEFAULT_LIMITS.model,
    approvalSeconds: count('approvalSeconds'),
    asksInChat: optionalFlag(given, 'asksInChat') ?? DEFAULT_LIMITS.asksInChat,
    maxCheckpoints: count('maxCheckpoints'),
    stateDays: count('stateDays'),
    stateMegabytes: count('stateMegabytes'),
  };
}
