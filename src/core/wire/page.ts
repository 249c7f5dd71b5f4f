import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Freshness } from '../model/catalog.ts';
import { count, text } from './members.ts';

/** One page of a list; items that cannot be used are counted with the reason, the others are kept. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly rejected: readonly string[];
  readonly nextCursor: string | undefined;
  /** Characters of the items that were kept, written as JSON. */
  readonly size: number;
  readonly freshness: Freshness | undefined;
}

interface PageShape<T> {
  /** The member that holds the list. */
  readonly member: string;
  readonly one: string;
  readonly many: string;
  /** The item, or why it cannot be used. */
  readonly decode: (item: JsonObject) => T | string;
}

/** Reasons that are told apart: a hostile page has millions of entries that are no items. */
const MAX_REASONS = 10;
/** No model reads more than a part of this, and the editor copies it at every change. */
const LONGEST_ITEM = 1_000_000;
const LONGEST_NAME = 256;

/** The list in an answer. A bare list comes from servers older than the standard; reading it costs one line. */
export function listIn(result: Json, member: string): readonly Json[] | undefined {
  const found = isJsonArray(result) ? result : isJsonObject(result) ? result[member] : undefined;
  return isJsonArray(found) ? found : undefined;
}

export function decodePage<T>(result: Json, { member, one, many, decode }: PageShape<T>): Page<T> {
  const found = listIn(result, member);
  const freshness = decodeFreshness(result);
  if (found === undefined)
    return { items: [], rejected: [`the answer holds no list of ${many}`], nextCursor: undefined, size: 0, freshness };
  const cursor = isJsonObject(result) ? text(result['nextCursor']) : undefined;
  const items: T[] = [];
  const rejected: string[] = [];
  let unnamed = 0;
  let size = 0;
  for (const item of found) {
    const length = isJsonObject(item) ? JSON.stringify(item).length : 0;
    const decoded = decodeItem(item, length, one, decode);
    if (typeof decoded !== 'string') {
      items.push(decoded);
      size += length;
    } else if (rejected.length < MAX_REASONS) rejected.push(decoded);
    else unnamed++;
  }
  if (unnamed > 0) rejected.push(`${unnamed} more`);
  // An empty text is a cursor to no page: taken as "last page" as every client does.
  return { items, rejected, nextCursor: cursor === '' ? undefined : cursor, size, freshness };
}

function decodeItem<T>(item: Json, length: number, one: string, decode: (item: JsonObject) => T | string): T | string {
  if (length > LONGEST_ITEM) return `${one} of ${length} characters`;
  return isJsonObject(item) ? decode(item) : `${one} that is not an object`;
}

/** MCP 2026-07-28 "Caching": how long an answer stays good; absent where the server does not say. */
export function decodeFreshness(result: Json): Freshness | undefined {
  if (!isJsonObject(result)) return undefined;
  const ttlMs = count(result['ttlMs']);
  if (ttlMs === undefined) return undefined;
  // Anything but the word "public" is private: the cautious reading.
  return { ttlMs, scope: result['cacheScope'] === 'public' ? 'public' : 'private' };
}

/** Why a name, a URI or the like cannot be used. */
export function nameProblem(name: string, one: string, what = 'name', longest = LONGEST_NAME): string | undefined {
  if (name === '') return `${one} without a ${what}`;
  return name.length > longest ? `${one} whose ${what} has ${name.length} characters` : undefined;
}
