import { isJsonObject, type Json } from '../base/json.ts';
import { lengthOf } from '../base/unreadJson.ts';

/** Members of params that are already JSON text, so that large values are not serialized for each message. */
export type ReadyParts = Readonly<Record<string, string>>;

/** Serializes a message. Ready members come after the other params. */
export function messageText(message: Json, parts?: ReadyParts): string {
  if (parts === undefined || !isJsonObject(message)) return JSON.stringify(message);
  const { params, ...rest } = message;
  const own = JSON.stringify(isJsonObject(params) ? params : {});
  const members = [...(own === '{}' ? [] : [own.slice(1, -1)]), ...membersOf(parts)];
  const opened = JSON.stringify(rest).slice(0, -1);
  return `${opened}${opened === '{' ? '' : ','}"params":{${members.join(',')}}}`;
}

/** The message for a trace, with the length of each ready member. */
export function withoutParts(message: Json, parts: ReadyParts): Json {
  if (!isJsonObject(message)) return message;
  const { params, ...rest } = message;
  const lengths = Object.entries(parts).map(([name, text]) => [name, lengthOf(text)] as const);
  return { ...rest, params: { ...(isJsonObject(params) ? params : {}), ...Object.fromEntries(lengths) } };
}

function membersOf(parts: ReadyParts): readonly string[] {
  return Object.entries(parts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
}
