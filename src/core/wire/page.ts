import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Freshness } from '../model/catalog.ts';
import { count, text } from './members.ts';

/** One page of a list. Unusable items are counted with a reason; the others are kept. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly rejected: readonly string[];
  readonly nextCursor: string | undefined;
  /** Characters of the kept items as JSON. */
  readonly size: number;
  readonly freshness: Freshness | undefined;
}

interface PageShape<T> {
  /** The member with the list. */
  readonly member: string;
  readonly one: string;
  readonly many: string;
  /** Returns the item, or why it is unusable. */
  readonly decode: (item: JsonObject) => T | string;
}

/** Maximum distinct reasons, because a hostile page may have millions of bad entries. */
const MAX_REASONS = 10;
/** Models read only part of this, and the editor copies it on every change. */
const MAX_ITEM = 1_000_000;
const MAX_NAME = 256;

/** The list in an answer. Also accepts a bare list, as sent by servers older than the standard. */
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
  // An empty cursor means the last page, as in other clients.
  return { items, rejected, nextCursor: cursor === '' ? undefined : cursor, size, freshness };
}

function decodeItem<T>(item: Json, length: number, one: string, decode: (item: JsonObject) => T | string): T | string {
  if (length > MAX_ITEM) return `${one} of ${length} characters`;
  return isJsonObject(item) ? decode(item) : `${one} that is not an object`;
}

/** MCP 2026-07-28 "Caching": how long an answer stays valid. `undefined` if not stated. */
export function decodeFreshness(result: Json): Freshness | undefined {
  if (!isJsonObject(result)) return undefined;
  const ttlMs = count(result['ttlMs']);
  if (ttlMs === undefined) return undefined;
  // Any value other than "public" counts as private.
  return { ttlMs, scope: result['cacheScope'] === 'public' ? 'public' : 'private' };
}

/** Why a name or a URI is unusable. */
export function nameProblem(name: string, one: string, what = 'name', longest = MAX_NAME): string | undefined {
  if (name === '') return `${one} without a ${what}`;
  return name.length > longest ? `${one} whose ${what} has ${name.length} characters` : undefined;
}
