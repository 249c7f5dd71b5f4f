import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { shownContent } from './shownText.ts';
import { annotationTexts, blockText, type ContentBlock, keptState, type ResultView } from '../model/content.ts';

/**
 * Clients validate whole messages: one invalid member makes a list of a hundred tools unreadable, or fails a successful
 * call. Invalid members are therefore dropped or converted to text, and all others pass unchanged.
 */

/** Removes members for which a strict client would reject the whole list. */
export function wellFormedTool(raw: JsonObject, inputSchema: JsonObject): JsonObject {
  const { properties } = inputSchema;
  const schema = without(inputSchema, (key, value) => SCHEMA_MEMBERS[key]?.(value) ?? true);
  return {
    ...without(raw, (key, value) => TOOL_MEMBERS[key]?.(value) ?? true),
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
  const members = without(raw, (key, value) => RESULT_MEMBERS[key]?.(value) ?? true);
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
export function shownObject(object: JsonObject): JsonObject {
  const shown = shownContent(object);
  return isJsonObject(shown) ? shown : object;
}

type Check = (value: Json) => boolean;
export type Checks = Readonly<Partial<Record<string, Check>>>;

export const isText: Check = (value) => typeof value === 'string';
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
  Object.entries(value).every(([key, member]) => member !== undefined && (SCHEMA_MEMBERS[key]?.(member) ?? true));

export function isAnnotations(value: Json): boolean {
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

export function wellFormedBlock(value: Json, block: ContentBlock | undefined): Json {
  if (block === undefined || !isJsonObject(value)) return textBlock(JSON.stringify(value));
  const kept = without(value, (key, member) => BLOCK_MEMBERS[key]?.(member) ?? true);
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

export function isResource({ uri, text, blob, mimeType, _meta: meta }: JsonObject): boolean {
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
export function without(object: JsonObject, isKept: (key: string, value: Json) => boolean): JsonObject {
  const isOdd = ([key, value]: [string, Json | undefined]): boolean => value !== undefined && !isKept(key, value);
  const entries = Object.entries(object);
  return entries.some(isOdd) ? Object.fromEntries(entries.filter((entry) => !isOdd(entry))) : object;
}
