import { isJsonArray, isJsonObject, type Json } from '../../core/index.ts';

export interface SizeLimits {
  /** Number of values, including containers. */
  readonly nodes: number;
  /** Total characters of texts and names. */
  readonly characters: number;
}

/** Whether a value is within the limits. Does not serialize it, and stops at the limit. */
export function isWithin(value: Json, { nodes, characters }: SizeLimits): boolean {
  const open: Json[] = [value];
  let seen = 0;
  let length = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') length += next.length;
    else if (isJsonArray(next)) {
      if (next.length + open.length > nodes) return false;
      for (const item of next) open.push(item);
    } else if (isJsonObject(next))
      for (const [name, member] of Object.entries(next)) {
        length += name.length;
        if (member !== undefined) open.push(member);
      }
    if (++seen > nodes || length > characters) return false;
  }
  return true;
}
