import { isJsonArray, type Json } from '../../base/json.ts';

/** Values of a state while it is patched. An `undefined` member is one that was removed (see `Graves`). */
export type Value = Scalar | List | Members;
export type Scalar = null | boolean | number | string;
export type List = Value[];
export interface Members {
  [key: string]: Value | undefined;
}
export type Container = List | Members;

/** Whoever has a state may change it: JSON that was parsed is not read-only. */
export function isContainer(value: Json | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

export function isList(value: Container): value is List {
  return Array.isArray(value);
}

/** Members are told apart from what every object inherits: `/toString` leads nowhere. */
export function memberOf(members: Members, key: string): Value | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

/** A plain assignment would exchange the prototype where the key is `__proto__`. */
export function setMember(members: Members, key: string, value: Value | undefined): void {
  if (key !== '__proto__') members[key] = value;
  else Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Shares nothing with `value`. */
export function clone(value: Json): Value {
  if (value === null || typeof value !== 'object') return value;
  if (isJsonArray(value)) return value.map(clone);
  const copy: Members = {};
  for (const key in value) {
    const member = value[key];
    if (member !== undefined) setMember(copy, key, clone(member));
  }
  return copy;
}

/** What one patch may look at: it may name the same large value again and again. */
export class Effort {
  left: number;

  constructor(characters: number) {
    this.left = characters;
  }

  get isSpent(): boolean {
    return this.left < 0;
  }
}

/** RFC 6902 §4.6: members in any order. Unequal as well where the effort does not suffice. `b` was never patched. */
export function areEqual(a: Json, b: Json, effort: Effort): boolean {
  effort.left -= typeof a === 'string' ? a.length : 1;
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b) || effort.isSpent) return false;
  if (isList(a)) return isList(b) && areListsEqual(a, b, effort);
  return !isList(b) && areMembersEqual(a, b, effort);
}

function areListsEqual(a: List, b: List, effort: Effort): boolean {
  return a.length === b.length && a.every((item, index) => areEqual(item, b[index] ?? null, effort));
}

function areMembersEqual(a: Members, b: Members, effort: Effort): boolean {
  let more = 0;
  for (const key in a) {
    const member = a[key];
    if (member === undefined) continue;
    const other = memberOf(b, key);
    effort.left -= key.length;
    if (other === undefined || !areEqual(member, other, effort)) return false;
    more++;
  }
  for (const _key in b) more--;
  return more === 0;
}
