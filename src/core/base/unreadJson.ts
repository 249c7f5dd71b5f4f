import { isJsonObject, isObject, type Json, type JsonObject, parseJson } from './json.ts';

/** The path of a member: the names that lead to it from the outermost object. */
export type MemberPath = readonly string[];

/** A registered symbol, because another bundle may read the text. */
const TEXTS = Symbol.for('mcpl-live.unreadTexts');

/**
 * Stores the text of a value instead of the value. Reading the member parses it at that moment. Code that only passes
 * it on calls `unreadText` and skips the parsing. The text must be JSON.
 */
export function leaveUnread(root: JsonObject, path: MemberPath, text: string): void {
  const name = path.at(-1);
  const parent = parentOf(root, path);
  if (parent === undefined || name === undefined || !Object.hasOwn(parent, name)) return;
  for (let at = 0; at < path.length; at++) {
    const object = parentOf(root, path.slice(0, at + 1));
    if (object !== undefined) mark(object, object === parent ? { [name]: text } : {});
  }
  Object.defineProperty(parent, name, {
    configurable: true,
    enumerable: true,
    get: (): Json => {
      const value = parseJson(text);
      Object.defineProperty(parent, name, { configurable: true, enumerable: true, writable: true, value });
      return value;
    },
  });
}

/** The text of a member that is not parsed yet. */
export function unreadText(object: JsonObject, name: string): string | undefined {
  const text = textsOf(object)?.[name];
  return typeof text === 'string' ? text : undefined;
}

/** A copy for display, in which unparsed members are replaced by their length. */
export function withoutUnread(value: Json): Json {
  if (!isJsonObject(value) || textsOf(value) === undefined) return value;
  return Object.fromEntries(
    Object.keys(value).map((name) => {
      const text = unreadText(value, name);
      return [name, text === undefined ? withoutUnread(value[name] ?? null) : lengthOf(text)] as const;
    }),
  );
}

/** The replacement for a text that is not shown. */
export function lengthOf(text: string): string {
  return `‹${text.length} characters›`;
}

function parentOf(root: JsonObject, path: MemberPath): JsonObject | undefined {
  let object: Json | undefined = root;
  for (const name of path.slice(0, -1)) object = isJsonObject(object) ? object[name] : undefined;
  return isJsonObject(object) ? object : undefined;
}

function mark(object: JsonObject, texts: Readonly<Record<string, string>>): void {
  // Not enumerable, because a copy of the object contains parsed values.
  Object.defineProperty(object, TEXTS, { configurable: true, value: { ...textsOf(object), ...texts } });
}

function textsOf(object: JsonObject): Readonly<Record<string, unknown>> | undefined {
  const texts: unknown = Reflect.get(object, TEXTS);
  return isObject(texts) ? texts : undefined;
}
