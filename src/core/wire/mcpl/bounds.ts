import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';

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
