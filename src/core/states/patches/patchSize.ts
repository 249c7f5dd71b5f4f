import type { Json } from '../../base/json.ts';
import { type Container, type PatchEffort, isContainer, isList, type Members, type Value } from './patchValues.ts';

/** Size of a member without its value. Counts a comma for every member, including the last. */
export function sizeOfKey(key: string): number {
  return key.length + 4;
}

/** Size of a list item without its value. */
export const SIZE_OF_COMMA = 1;

/** Ignores escapes: scanning removed texts would be most of the cost of removing them. */
function sizeOfScalar(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value === 'number') return sizeOfNumber(value);
  return value === false ? 5 : 4;
}

function sizeOfNumber(value: number): number {
  if (value >= 0 && value < 10) return 1;
  return Number.isFinite(value) ? String(value).length : 4;
}

/** Measures a value in one pass: its size, its depth, and whether the library supports it. */
export class Measuring {
  isTooDeep = false;
  /** rfc6902 loses members whose names objects inherit, and does not know placeholders. */
  isPlain = true;
  readonly #effort: PatchEffort;

  constructor(effort: PatchEffort) {
    this.#effort = effort;
  }

  /** Approximate size as JSON in characters. `levels` is the maximum nesting of containers. */
  measure(value: Json, levels: number): number {
    this.isTooDeep = false;
    this.isPlain = true;
    const size = isContainer(value) ? this.#container(value, levels) : sizeOfScalar(value);
    this.#effort.left -= size;
    return size;
  }

  #container(value: Container, levels: number): number {
    if (levels <= 0) {
      this.isTooDeep = true;
      return 0;
    }
    return isList(value) ? this.#list(value, levels - 1) : this.#members(value, levels - 1);
  }

  #list(list: readonly Value[], levels: number): number {
    let size = 2 + SIZE_OF_COMMA * list.length;
    for (const item of list) {
      size += isContainer(item) ? this.#container(item, levels) : sizeOfScalar(item);
      if (this.#isEnough(size)) break;
    }
    return size;
  }

  #members(members: Members, levels: number): number {
    let size = 2;
    for (const key in members) {
      const member = members[key];
      if (member === undefined) {
        this.isPlain = false;
        continue;
      }
      if (key === '__proto__' || key === 'constructor') this.isPlain = false;
      size += sizeOfKey(key) + (isContainer(member) ? this.#container(member, levels) : sizeOfScalar(member));
      if (this.#isEnough(size)) break;
    }
    return size;
  }

  /** Stops at the limits, because the caller rejects such values. */
  #isEnough(size: number): boolean {
    return this.isTooDeep || size > this.#effort.left;
  }
}
