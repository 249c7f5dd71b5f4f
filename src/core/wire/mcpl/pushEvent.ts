import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type ContentBlock, sizeOf } from '../../model/content.ts';
import { object } from '../members.ts';
import { decodeBlocks, MAX_BLOCKS } from './blocks.ts';
import { idIn, isWithin, MAX_CHARACTERS } from './bounds.ts';
import { type DecodedParams, type InvalidParams, wrong } from './invalidParams.ts';
import { isIsoTimestamp } from './timestamp.ts';

/** The params of `push/event` (MCPL §9.2) without the feature set, which is checked earlier. */
export interface PushParams {
  readonly eventId: string;
  /** ISO 8601, as the server wrote it. */
  readonly timestamp: string;
  readonly origin: JsonObject | undefined;
  readonly content: readonly ContentBlock[];
}

const MAX_ID = 512;
const MAX_TIMESTAMP = 64;
const MAX_ORIGIN = 64 * 1024;

export function decodePush(params: JsonObject): DecodedParams<PushParams> {
  const eventId = idIn(params['eventId'], MAX_ID);
  if (eventId === undefined) return wrong('eventId', `a text of 1 to ${MAX_ID} characters`);
  const timestamp = decodeTimestamp(params['timestamp']);
  if (timestamp === undefined) return wrong('timestamp', 'an ISO 8601 date and time, such as "2026-01-23T10:30:00Z"');
  const origin = object(params['origin']);
  if (origin !== undefined && !isWithin(origin, MAX_ORIGIN))
    return wrong('origin', `an object of at most ${MAX_ORIGIN / 1024} KB`);
  const content = decodeContent(params['payload']);
  return 'kind' in content ? content : { kind: 'ok', value: { eventId, timestamp, origin, content: content.blocks } };
}

/** MCPL §9.2: ISO 8601. */
function decodeTimestamp(value: Json | undefined): string | undefined {
  const isTimestamp = typeof value === 'string' && value.length <= MAX_TIMESTAMP && isIsoTimestamp(value);
  return isTimestamp ? value : undefined;
}

function decodeContent(payload: Json | undefined): InvalidParams | { readonly blocks: readonly ContentBlock[] } {
  if (!isJsonObject(payload)) return wrong('payload', 'an object');
  const { content } = payload;
  const blocks = decodeBlocks(content);
  if (blocks === undefined || !isJsonArray(content)) return wrong('payload.content', 'a list of content blocks');
  if (content.length > MAX_BLOCKS) return wrong('payload.content', `a list of at most ${MAX_BLOCKS} content blocks`);
  if (sizeOf(blocks) > MAX_CHARACTERS) return wrong('payload.content', 'at most 4 MB of text and data');
  return { blocks };
}
