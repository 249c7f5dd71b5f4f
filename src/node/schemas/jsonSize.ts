import { isJsonArray, isJsonObject, type Json } from '../../core/index.ts';

export interface SizeLimits {
  /** Values of any kind, containers included. */
  readonly nodes: number;
  /** Characters of all texts and names together. */
  readonly characters: number;
}

/** Whether a value is small enough, found out without writing it down and without looking further than need be. */
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
