import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type ContentBlock, sizeOf } from '../../model/content.ts';
import { object } from '../members.ts';
import { decodeBlocks, idIn, isWithin, MAX_BLOCKS, MAX_CHARACTERS } from './blocks.ts';
import { type DecodedParams, type InvalidParams, wrong } from './mcplErrors.ts';

/** Date and time in the two forms of ISO 8601, which a text must not mix. */
const FORMS = [
  /^([+-]\d{6}|\d{4})-(?:(\d\d)-(\d\d)|W(\d\d)-[1-7]|(\d{3}))(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?(?:[.,](\d+))?(?:Z|[+-](\d\d)(?::(\d\d))?)?)?$/,
  /^([+-]\d{6}|\d{4})(?:(\d\d)(\d\d)|W(\d\d)[1-7]|(\d{3}))(?:T(\d\d)(?:(\d\d)(?:(\d\d))?)?(?:[.,](\d+))?(?:Z|[+-](\d\d)(?:(\d\d))?)?)?$/,
] as const;

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether a text is an ISO 8601 date, optionally with time: calendar, week or ordinal date, extended or basic form. */
export function isIsoTimestamp(text: string): boolean {
  for (const form of FORMS) {
    const parts = form.exec(text);
    if (parts !== null) return isDate(parts) && isTime(parts);
  }
  return false;
}

type Parts = readonly (string | undefined)[];

function isDate([, year, month, day, week, ordinal]: Parts): boolean {
  const leap = isLeapYear(Number(year));
  if (month !== undefined && day !== undefined) {
    const most = Number(month) === 2 && !leap ? 28 : (DAYS[Number(month) - 1] ?? 0);
    return isIn(day, 1, most);
  }
  return week === undefined ? isIn(ordinal, 1, leap ? 366 : 365) : isIn(week, 1, 53);
}

/** Allows 24:00:00 and leap seconds (60). */
function isTime([
  ,
  ,
  ,
  ,
  ,
  ,
  hour = '0',
  minute = '0',
  second = '0',
  fraction = '0',
  zoneHour = '0',
  zone = '0',
]: Parts): boolean {
  if (Number(hour) === 24) return Number(minute) + Number(second) + Number(fraction) === 0;
  return isIn(hour, 0, 23) && isIn(minute, 0, 59) && isIn(second, 0, 60) && isIn(zoneHour, 0, 23) && isIn(zone, 0, 59);
}

function isIn(digits: string | undefined, least: number, most: number): boolean {
  const value = Number(digits);
  return value >= least && value <= most;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

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
