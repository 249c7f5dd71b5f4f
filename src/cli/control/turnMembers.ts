import {
  decodeResult,
  type HostLimits,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type ModelMessage,
} from '../../core/index.ts';
import { Malformed, object, optionalCount, optionalText } from './members.ts';

/** What was said before in a conversation: `{"role": "user", "content": …}` each, with a text or blocks as in MCP. */
export function historyIn(line: JsonObject): readonly ModelMessage[] {
  const { history } = line;
  if (history === undefined) return [];
  if (!isJsonArray(history)) throw new Malformed('"history" must be a list of messages.');
  return history.map((message) => {
    if (!isJsonObject(message)) throw new Malformed('"history" must be a list of messages.');
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant') throw new Malformed('"role" must be "user" or "assistant".');
    return { role, content: decodeResult({ content }).blocks };
  });
}

/** What is left out has its default. */
export function limitsIn(line: JsonObject): Partial<HostLimits> | undefined {
  const limits = object(line, 'limits');
  if (limits === undefined) return undefined;
  const given = {
    pushPerMinute: optionalCount(limits, 'pushPerMinute'),
    maxEvents: optionalCount(limits, 'maxEvents'),
    auditDays: optionalCount(limits, 'auditDays'),
    model: optionalText(limits, 'model'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
