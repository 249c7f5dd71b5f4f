import { isJsonArray, isJsonObject, type Json } from '../../base/json.ts';

/** Longest name of a feature set. */
export const LONGEST_NAME = 256;

/** Longest text, base64 included, that one message may bring: no model reads more, and every view copies it. */
export const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Values of a server that are kept as they came. Deeper ones cannot be stored or shown. */
const DEEPEST = 32;

/** Whether a value is small enough to be kept; stops looking as soon as it is not. */
export function isWithin(value: Json, characters: number): boolean {
  return rest(value, characters, DEEPEST) >= 0;
}

/** What is left of `characters`; less than nothing where the value is too large or too deep. */
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

/** A text that names something: neither empty nor longer than that. */
export function idIn(value: Json | undefined, longest: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longest ? value : undefined;
}

export function nameIn(value: Json | undefined): string | undefined {
  return idIn(value, LONGEST_NAME);
}
