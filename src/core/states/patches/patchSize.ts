import type { Json } from '../../base/json.ts';
import { type Container, type Effort, isContainer, isList, type Members, type Value } from './patchValues.ts';

/** What a member takes besides its value. Every member counts a comma, the last as well. */
export function sizeOfKey(key: string): number {
  return key.length + 4;
}

/** And an element. */
export const SIZE_OF_COMMA = 1;

/** Escapes are not counted: looking into texts that are removed would be most of the work of removing them. */
function sizeOfScalar(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value === 'number') return sizeOfNumber(value);
  return value === false ? 5 : 4;
}

function sizeOfNumber(value: number): number {
  if (value >= 0 && value < 10) return 1;
  return Number.isFinite(value) ? String(value).length : 4;
}

/** Looks at a whole value at once: how large it is, how deep, and whether the library takes it for what it is. */
export class Measuring {
  isTooDeep = false;
  /** rfc6902 loses members of the names that objects inherit, and knows nothing of graves. */
  isPlain = true;
  readonly #effort: Effort;

  constructor(effort: Effort) {
    this.#effort = effort;
  }

  /** Characters of a value as JSON, roughly. `levels`: so many containers may be inside each other. */
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

  /** What is too large or too deep is looked at no further: whoever measures refuses it. */
  #isEnough(size: number): boolean {
    return this.isTooDeep || size > this.#effort.left;
  }
}
