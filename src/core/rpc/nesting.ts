import { isJsonArray, isJsonObject, type Json, MAX_DEPTH } from '../base/json.ts';

/** `limit` levels need as many brackets of both kinds, so a shorter text cannot be deep and is not looked at. */
export const SHALLOW_LENGTH = 2 * MAX_DEPTH;

/**
 * Whether a parsed value nests deeper than `limit`. Recursion is safe here since it stops at the limit, and walking
 * the objects costs a tenth of what scanning a long text does: most of such a text is inside of strings.
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
  // `for in` reuses the shape's key list where `Object.keys` makes an array; parsed objects inherit nothing enumerable.
  for (const key in value) {
    const member = value[key];
    if (typeof member === 'object' && member !== null && isDeeperThan(member, limit - 1)) return true;
  }
  return false;
}
