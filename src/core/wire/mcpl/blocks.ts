import { cleanLine } from '../../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { blockText, type ContentBlock, decodeBlock as decodeMcpBlock } from '../../model/content.ts';
import type { McplTraits } from '../../model/mcpl.ts';
import { object, text } from '../members.ts';

/** Maximum length of a feature set name. */
const MAX_NAME = 256;

/** Maximum characters of one message, including base64. No model reads more, and every view copies them. */
export const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Maximum depth of stored values. Deeper ones cannot be stored or shown. */
const DEEPEST = 32;

/** Whether a value is small enough to keep. Stops at the limit. */
export function isWithin(value: Json, characters: number): boolean {
  return rest(value, characters, DEEPEST) >= 0;
}

/** The rest of the character budget. Negative if the value is too large or too deep. */
function rest(value: Json | undefined, characters: number, depth: number): number {
  if (typeof value === 'string') return characters - value.length - 2;
  if (!isJsonArray(value) && !isJsonObject(value)) return characters - 4;
  if (depth === 0) return -1;
  let left = characters - 2;
  if (isJsonArray(value)) {
    for (const item of value) {
      left = rest(item, left - 1, depth - 1);
      if (left < 0) return left;
    }
    return left;
  }
  for (const key of Object.keys(value)) {
    left = rest(value[key], left - key.length - 4, depth - 1);
    if (left < 0) return left;
  }
  return left;
}

/** A non-empty id of limited length. */
export function idIn(value: Json | undefined, longest: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longest ? value : undefined;
}

export function nameIn(value: Json | undefined): string | undefined {
  return idIn(value, MAX_NAME);
}

/** No server sends this many blocks in one message. */
export const MAX_BLOCKS = 256;
const MAX_URI = 8_192;
const MAX_TYPE = 64;

/** Media types become part of URIs, so they are restricted. */
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(;.{0,64})?$/;

interface Options {
  /** MCPL §10.3: accepts a text or a single block in place of a list. */
  readonly allowText: boolean;
}

/** Decodes content in the shapes of every MCPL and MCP version. Returns `undefined` if it is not a list of blocks. */
export function decodeBlocks(content: Json | undefined, options?: Options): readonly ContentBlock[] | undefined {
  if (isJsonArray(content)) {
    const more = content.length - MAX_BLOCKS;
    if (more <= 0) return content.map(decodeBlock);
    const blocks = content.slice(0, MAX_BLOCKS).map(decodeBlock);
    return [...blocks, { type: 'text', text: `[${more} more blocks, left out]` }];
  }
  if (options?.allowText !== true) return undefined;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return isJsonObject(content) ? [decodeBlock(content)] : undefined;
}

/** Replaces unknown blocks by a text that says so, because a model would read their JSON. */
function decodeBlock(value: Json): ContentBlock {
  const block = checked(decodeMcpBlock(isJsonObject(value) ? plain(value) : value));
  if (block !== undefined) return block;
  const { type, text: said } = object(value) ?? {};
  const name = typeof type === 'string' ? cleanLine(type, MAX_TYPE) : '';
  const mark = `[${name === '' ? 'content' : name}, not understood]`;
  return { type: 'text', text: typeof said === 'string' ? `${mark} ${said}` : mark };
}

/** Converts a block to MCP's shape. */
function plain(block: JsonObject): JsonObject {
  switch (block['type']) {
    case 'image':
    case 'audio':
      return isJsonObject(block['source']) ? fromSource(block, block['source']) : (addressOf(block) ?? block);
    case 'resource':
      if (block['resource'] !== undefined) return block;
      if (text(block['text']) === undefined) return addressOf(block) ?? block;
      return { type: 'resource', resource: block, annotations: block['annotations'] };
    default:
      return block;
  }
}

/** MCPL 0.2 §10.3 */
function fromSource({ type, annotations }: JsonObject, source: JsonObject): JsonObject {
  const { data, media_type, mimeType, uri, url } = source;
  if (text(data) === undefined) return { type: 'resource_link', uri: uri ?? url, annotations };
  return { type, data, mimeType: media_type ?? mimeType, annotations };
}

/** MCPL 0.3: content that can be fetched has only a URI. */
function addressOf({ uri, name, data, annotations }: JsonObject): JsonObject | undefined {
  return text(uri) === undefined || data !== undefined ? undefined : { type: 'resource_link', uri, name, annotations };
}

/** Returns `undefined` for blocks that are unknown or cannot be forwarded. */
function checked(block: ContentBlock): ContentBlock | undefined {
  switch (block.type) {
    case 'text':
      return block;
    case 'image':
    case 'audio':
      return MEDIA_TYPE.test(block.mimeType) ? block : undefined;
    case 'resource_link':
      return block.uri.length <= MAX_URI ? { ...block, name: cleanLine(block.name) || block.uri } : undefined;
    case 'resource': {
      const resource = keep(block.resource);
      return resource === undefined ? undefined : { ...block, resource };
    }
    case 'unknown':
      return undefined;
  }
}

/** Keeps only the members that MCP defines. Others may have any size and depth. */
function keep({ uri, mimeType, text: said, blob }: JsonObject): JsonObject | undefined {
  const isText = typeof said === 'string';
  if (!isText && typeof blob !== 'string') return undefined;
  return {
    ...(typeof uri === 'string' && uri.length <= MAX_URI ? { uri } : {}),
    ...(typeof mimeType === 'string' && MEDIA_TYPE.test(mimeType) ? { mimeType } : {}),
    ...(isText ? { text: said } : { blob }),
  };
}

/** Encodes a block for a server of this dialect. */
export function encodeBlock(block: ContentBlock, shape: McplTraits['blocks']): Json {
  return shape === '0.2' ? encodeOld(block) : encodeMcp(block);
}

function encodeMcp(block: ContentBlock): JsonObject {
  if (block.type === 'unknown') return { type: 'text', text: blockText(block) };
  const { audience, ...rest } = block;
  return audience === undefined ? rest : { ...rest, annotations: { audience: [audience] } };
}

/** MCPL 0.2 §B.1 has four types, and no embedded resources. */
function encodeOld(block: ContentBlock): JsonObject {
  switch (block.type) {
    case 'image':
    case 'audio':
      return { type: block.type, source: { type: 'base64', media_type: block.mimeType, data: block.data } };
    case 'resource_link':
      return { type: 'resource_link', uri: block.uri };
    case 'resource': {
      const { text: said, uri } = block.resource;
      const isLink = typeof said !== 'string' && typeof uri === 'string';
      return isLink ? { type: 'resource_link', uri } : { type: 'text', text: blockText(block) };
    }
    default:
      return { type: 'text', text: blockText(block) };
  }
}
