import { showHidden, withoutHidden } from '../base/hiddenText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ResourceReading } from '../hostTypes.ts';
import {
  annotationTexts,
  blockText,
  type ContentBlock,
  keptState,
  type PromptResult,
  type ResourceContents,
  type ResultView,
} from '../model/content.ts';

/**
 * Clients pass what they read to models. Hidden characters are therefore removed from names, descriptions and
 * instructions, and made visible elsewhere. Structured content stays unchanged.
 */

/** Members that only clients read, not models. */
const OF_CLIENTS: ReadonlySet<string> = new Set(['_meta', 'icons', 'structuredContent', 'state']);

/** Skips bytes and `_meta` in the blocks of a result. In a schema, every key may be a property name. */
function isRead(object: JsonObject, name: string, { isWhole, withNames }: ReadContext): boolean {
  if (isWhole) return !OF_CLIENTS.has(name);
  if (withNames) return true;
  if (name === 'blob') return !('uri' in object);
  return name !== '_meta' && (name !== 'data' || (object['type'] !== 'image' && object['type'] !== 'audio'));
}

interface ReadContext {
  /** Whether this is the whole definition or result, rather than a part. */
  readonly isWhole: boolean;
  /** Whether to change member names too. */
  readonly withNames: boolean;
}

/** A server's content as a client's model reads it. Returns the same object if it has no hidden characters. */
function shownContent<T extends Json>(value: T): T | Json {
  return mapRead(value, showHidden, { isWhole: true, withNames: false });
}

const definitions = new WeakMap<JsonObject, JsonObject>();

/** Removes hidden characters from a definition, including member names. Cached, because lists are read often. */
export function cleanDefinition(raw: JsonObject): JsonObject {
  const known = definitions.get(raw);
  if (known !== undefined) return known;
  const mapped = mapRead(raw, withoutHidden, { isWhole: true, withNames: true });
  const clean = isJsonObject(mapped) ? mapped : raw;
  definitions.set(raw, clean);
  return clean;
}

function mapRead(value: Json, change: (text: string) => string, context: ReadContext): Json {
  if (typeof value === 'string') return change(value);
  const inside = { ...context, isWhole: false };
  if (isJsonArray(value)) {
    const items = value.map((item) => mapRead(item, change, inside));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let isSame = true;
  const members: [string, Json | undefined][] = [];
  for (const name of Object.keys(value)) {
    // Skips lazily read members, because checking one would parse it.
    if (!isRead(value, name, context)) continue;
    const member = value[name];
    const after = member === undefined ? undefined : mapRead(member, change, inside);
    const newName = context.withNames ? change(name) : name;
    isSame &&= after === member && newName === name;
    members.push([newName, after]);
  }
  if (isSame) return value;
  const kept = Object.keys(value).filter((name) => !isRead(value, name, context));
  return Object.fromEntries([...members, ...kept.map((name) => [name, value[name]] as const)]);
}

/** Maps the names and URIs that clients see to the real ones. */
export class ShownNames {
  readonly #real = new Map<string, string>();

  shown(name: string): string {
    const clean = withoutHidden(name);
    if (clean !== name) this.#real.set(clean, name);
    // An older list may have shown another item under this name.
    else this.#real.delete(name);
    return clean;
  }

  /** Drops items whose visible name is not unique, because clients could not distinguish them. */
  distinct<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
    const odd = items.filter((item) => withoutHidden(nameOf(item)) !== nameOf(item));
    if (odd.length === 0) return items;
    const taken = new Set(items.filter((item) => !odd.includes(item)).map(nameOf));
    const left = new Set<T>();
    for (const item of odd) {
      const clean = withoutHidden(nameOf(item));
      if (taken.has(clean) || clean === '') left.add(item);
      taken.add(clean);
    }
    return items.filter((item) => !left.has(item));
  }

  real(name: string): string {
    return this.#real.get(name) ?? name;
  }
}

/**
 * Clients validate whole messages: one invalid member makes a list of a hundred tools unreadable, or fails a successful
 * call. Invalid members are therefore dropped or converted to text, and all others pass unchanged.
 */

/** Removes members for which a strict client would reject the whole list. */
export function wellFormedTool(raw: JsonObject, inputSchema: JsonObject): JsonObject {
  const { properties } = inputSchema;
  const schema = without(inputSchema, (key, value) => passes(SCHEMA_MEMBERS, key, value));
  return {
    ...without(raw, (key, value) => passes(TOOL_MEMBERS, key, value)),
    inputSchema: {
      ...schema,
      ...(isJsonObject(properties) ? { properties: objects(properties) } : {}),
      type: 'object',
    },
  };
}

/** JSON Schema allows `true` for "anything", but clients do not. */
function objects(properties: JsonObject): JsonObject {
  if (Object.values(properties).every((member) => isJsonObject(member))) return properties;
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([name, member]) => [name, isJsonObject(member) ? member : {}]));
}

/** The valid hints of a tool. */
export function wellFormedHints(annotations: Json | undefined): JsonObject {
  if (!isJsonObject(annotations)) return {};
  return without(annotations, (key, value) =>
    key === 'title' ? typeof value === 'string' : !key.endsWith('Hint') || typeof value === 'boolean',
  );
}

/** The member of `_meta` with the checkpoint after a call. */
const CHECKPOINT = 'mcpl/checkpoint';

/**
 * A result that every client can read. Keeps everything except the state (MCPL §8): the host stores that, and it may
 * contain data for neither models nor other programs. The client gets the checkpoint's name.
 */
export function wellFormedResult(result: ResultView): JsonObject {
  const { blocks, modelText, structured } = result;
  const raw = withCheckpoint(result);
  const { content } = raw;
  const isWhole = isJsonArray(content) && (structured === undefined || isJsonObject(structured));
  const known = isJsonArray(content) ? content.map((value, index) => wellFormedBlock(value, blocks[index])) : [];
  // Clients require `content`, which servers of all versions omit.
  const made = !isWhole && known.length === 0 && modelText !== '' ? [textBlock(modelText)] : known;
  const notes = annotationTexts(result, 'program').map((note) => textBlock(`[${note}]`));
  const members = without(raw, (key, value) => passes(RESULT_MEMBERS, key, value));
  return shownObject({ ...members, content: [...made, ...notes] });
}

/** Only the host states what it stored, so the server's own member is removed. */
function withCheckpoint(result: ResultView): JsonObject {
  const { raw } = result;
  const { _meta: meta } = raw;
  const kept = keptState(result);
  const isClaimed = isJsonObject(meta) && CHECKPOINT in meta;
  if (kept === undefined && !isClaimed) return raw;
  const { [CHECKPOINT]: _, ...rest } = isJsonObject(meta) ? meta : {};
  const name = kept?.kind === 'kept' || kept?.kind === 'known' ? { [CHECKPOINT]: kept.checkpoint } : {};
  const { state, ...others } = raw;
  return { ...others, ...(kept === undefined ? { state } : {}), _meta: { ...rest, ...name } };
}

/** Top-level members that only clients read stay unchanged. */
function shownObject(object: JsonObject): JsonObject {
  const shown = shownContent(object);
  return isJsonObject(shown) ? shown : object;
}

type Check = (value: Json) => boolean;
type Checks = Readonly<Partial<Record<string, Check>>>;

/** Members without a check pass. A server chooses the keys, `__proto__` too. */
function passes(checks: Checks, key: string, value: Json): boolean {
  return !Object.hasOwn(checks, key) || (checks[key]?.(value) ?? true);
}

const isText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => isJsonArray(value) && value.every(isText);
const isAudience: Check = (value) => isJsonArray(value) && value.every((who) => who === 'user' || who === 'assistant');
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
const isIcons: Check = (value) =>
  isJsonArray(value) &&
  value.every(
    (icon) =>
      isJsonObject(icon) &&
      isText(icon['src'] ?? null) &&
      isText(icon['mimeType'] ?? '') &&
      isTexts(icon['sizes'] ?? []),
  );
const isExecution: Check = (value) =>
  isJsonObject(value) &&
  ['forbidden', 'optional', 'required', undefined].some((known) => known === value['taskSupport']);
const isObjectSchema: Check = (value) =>
  isJsonObject(value) &&
  value['type'] === 'object' &&
  Object.entries(value).every(([key, member]) => member !== undefined && passes(SCHEMA_MEMBERS, key, member));

function isAnnotations(value: Json): boolean {
  return (
    isJsonObject(value) &&
    isAudience(value['audience'] ?? []) &&
    isShare(value['priority'] ?? 0) &&
    isText(value['lastModified'] ?? '')
  );
}

const SCHEMA_MEMBERS: Checks = {
  properties: (value) => isJsonObject(value) && Object.values(value).every((member) => isJsonObject(member)),
  required: isTexts,
};
const TOOL_MEMBERS: Checks = {
  title: isText,
  description: isText,
  outputSchema: isObjectSchema,
  icons: isIcons,
  execution: isExecution,
  _meta: isJsonObject,
};
const RESULT_MEMBERS: Checks = {
  structuredContent: isJsonObject,
  isError: (value) => typeof value === 'boolean',
  _meta: isJsonObject,
};
const BLOCK_MEMBERS: Checks = {
  annotations: isAnnotations,
  _meta: isJsonObject,
  title: isText,
  description: isText,
  mimeType: isText,
  icons: isIcons,
  size: (value) => typeof value === 'number',
};

function wellFormedBlock(value: Json, block: ContentBlock | undefined): Json {
  if (block === undefined || !isJsonObject(value)) return textBlock(JSON.stringify(value));
  const kept = without(value, (key, member) => passes(BLOCK_MEMBERS, key, member));
  switch (block.type) {
    case 'text':
      return kept;
    case 'image':
    case 'audio':
      return isBase64(block.data) ? kept : textBlock(blockText(block));
    case 'resource':
      return isResource(block.resource) ? kept : textBlock(blockText(block));
    case 'resource_link':
      return { ...kept, name: block.name };
    case 'unknown':
      return textBlock(blockText(block));
  }
}

function isResource({ uri, text, blob, mimeType, _meta: meta }: JsonObject): boolean {
  const isContent = typeof text === 'string' || (typeof blob === 'string' && isBase64(blob));
  return typeof uri === 'string' && isContent && isText(mimeType ?? '') && isJsonObject(meta ?? {});
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

/** Returns the same object if nothing is removed. */
function without(object: JsonObject, isKept: (key: string, value: Json) => boolean): JsonObject {
  const isOdd = ([key, value]: [string, Json | undefined]): boolean => value !== undefined && !isKept(key, value);
  const entries = Object.entries(object);
  return entries.some(isOdd) ? Object.fromEntries(entries.filter((entry) => !isOdd(entry))) : object;
}

/** A prompt's definition with valid icons, without members for which a strict client would reject the whole list. */
export function wellFormedPrompt(raw: JsonObject): JsonObject {
  const { arguments: args } = raw;
  const kept = without(
    raw,
    (key, value) => key !== 'icons' && key !== 'arguments' && isKept(OFFER_MEMBERS, key, value),
  );
  return isJsonArray(args) ? { ...kept, arguments: args.flatMap(wellFormedArgument) } : kept;
}

/** The same for a resource or a resource template. */
export function wellFormedResource(raw: JsonObject): JsonObject {
  return without(raw, (key, value) => key !== 'icons' && isKept(OFFER_MEMBERS, key, value));
}

export function wellFormedPromptResult({ raw, messages, description }: PromptResult): JsonObject {
  const { description: _, messages: given, ...rest } = raw;
  const contents = isJsonArray(given) ? given.flatMap(contentsOf) : [];
  return shownObject({
    ...without(rest, (key, value) => key !== '_meta' || isJsonObject(value)),
    ...(description === undefined ? {} : { description }),
    messages: messages.map(({ role, content }, index) => ({
      role,
      content: wellFormedBlock(contents[index] ?? null, content),
    })),
  });
}

export function wellFormedReading({ raw, contents }: ResourceReading): JsonObject {
  const given = isJsonObject(raw) ? raw['contents'] : undefined;
  const whole = isJsonArray(given) && given.every((one) => isJsonObject(one) && isResource(one)) ? given : undefined;
  const rest = isJsonObject(raw) ? without(raw, (key, value) => key !== '_meta' || isJsonObject(value)) : {};
  return shownObject({ ...rest, contents: whole ?? contents.map(contentsJson) });
}

const OFFER_MEMBERS: Checks = {
  title: isText,
  description: isText,
  mimeType: isText,
  size: (value) => typeof value === 'number' && Number.isFinite(value),
  annotations: isAnnotations,
  _meta: isJsonObject,
};
const ARGUMENT_MEMBERS: Checks = {
  title: isText,
  description: isText,
  required: (value) => typeof value === 'boolean',
};

function isKept(members: Checks, key: string, value: Json): boolean {
  return passes(members, key, value);
}

function wellFormedArgument(value: Json): readonly JsonObject[] {
  if (!isJsonObject(value) || typeof value['name'] !== 'string' || value['name'] === '') return [];
  return [without(value, (key, member) => isKept(ARGUMENT_MEMBERS, key, member))];
}

/** Same rule as for decoding: each content is one message, and a list gives one message per item. */
function contentsOf(message: Json): readonly Json[] {
  if (!isJsonObject(message)) return [];
  const { content } = message;
  if (content === undefined || content === null) return [];
  if (isJsonArray(content)) return content;
  return [typeof content === 'string' ? { type: 'text', text: content } : content];
}

function contentsJson(contents: ResourceContents): JsonObject {
  const { uri, mimeType } = contents;
  return {
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(contents.kind === 'text' ? { text: contents.text } : { blob: contents.blob }),
  };
}
