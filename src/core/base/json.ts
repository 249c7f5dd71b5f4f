export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Deeper values can be parsed, but not cloned, stored or shown: V8 throws from about 5,000 levels on. */
export const MAX_DEPTH = 512;

/** Throws a `SyntaxError`. The result is JSON by construction, so it needs no assertion. */
export const parseJson: (text: string) => Json = JSON.parse;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Values in a parsed object are JSON by construction. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entry of a table under a name from outside. Inherited names, such as `constructor`, have none. */
export function ownEntry<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Whether brackets in this JSON text nest deeper than `limit`. Reads the text, because a recursive walk over the parsed
 * value would overflow itself.
 */
export function nestsDeeperThan(text: string, limit: number = MAX_DEPTH): boolean {
  // Each level needs an opening bracket, so short texts cannot be deep. Most messages are short.
  if (text.length <= limit) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** A text that is equal for equal values, in any order of members (RFC 8785 without its number rules). */
export function canonicalJson(value: Json | undefined): string {
  if (isJsonArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

/** Compares without serializing, which takes a tenth of the time for lists of thousands of tools. */
export function jsonEquals(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isJsonArray(a)) return isJsonArray(b) && a.length === b.length && a.every((item, i) => jsonEquals(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  let left = 0;
  for (const key of Object.keys(b)) if (b[key] !== undefined) left++;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    // Every object inherits a `constructor`.
    if (!Object.hasOwn(b, key) || !jsonEquals(value, b[key])) return false;
    left--;
  }
  return left === 0;
}

/** Truncates to `max` characters (at least one) with a mark, and never splits a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1;
  return `${text.slice(0, Math.max(0, end))}…`;
}

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
