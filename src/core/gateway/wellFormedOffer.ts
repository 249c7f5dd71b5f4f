import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { PromptResult, ResourceContents } from '../model/content.ts';
import type { ResourceReading } from '../hostTypes.ts';
import { type Checks, isAnnotations, isResource, isText, shownObject, without, wellFormedBlock } from './wellFormed.ts';

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
  return members[key]?.(value) ?? true;
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
