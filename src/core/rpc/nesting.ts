import { isJsonArray, isJsonObject, type Json, MAX_DEPTH } from '../base/json.ts';

/** Nesting to the limit needs as many brackets of both kinds, so shorter texts need no check. */
export const SHALLOW_LENGTH = 2 * MAX_DEPTH;

/**
 * Whether a parsed value nests deeper than `limit`. Recursion stops at the limit. Walking the objects costs a tenth of
 * scanning a long text, most of which is inside strings.
 */
export function isDeeperThan(value: Json, limit: number = MAX_DEPTH): boolean {
  if (isJsonArray(value)) {
    if (limit === 0) return true;
    for (const item of value) {
      if (typeof item === 'object' && item !== null && isDeeperThan(item, limit - 1)) return true;
    }
    return false;
  }
  if (!isJsonObject(value)) return false;
  if (limit === 0) return true;
  // `for in` reuses the key list of the object's shape, while `Object.keys` allocates an array. Parsed objects inherit
  // nothing enumerable.
  for (const key in value) {
    const member = value[key];
    if (typeof member === 'object' && member !== null && isDeeperThan(member, limit - 1)) return true;
  }
  return false;
}
