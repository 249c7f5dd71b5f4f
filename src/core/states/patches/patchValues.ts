import { isJsonArray, type Json } from '../../base/json.ts';

/** Values of a state during patching. An `undefined` member was removed (see `RemovedMembers`). */
export type Value = Scalar | List | Members;
type Scalar = null | boolean | number | string;
export type List = Value[];
export interface Members {
  [key: string]: Value | undefined;
}
export type Container = List | Members;

/** The owner of a state may modify it: parsed JSON is not read-only. */
export function isContainer(value: Json | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

export function isList(value: Container): value is List {
  return Array.isArray(value);
}

/** Ignores inherited members: `/toString` leads nowhere. */
export function memberOf(members: Members, key: string): Value | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

/** Assigning to `__proto__` would replace the prototype. */
export function setMember(members: Members, key: string, value: Value | undefined): void {
  if (key !== '__proto__') members[key] = value;
  else Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Makes a deep copy. */
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

/** Read budget of one patch, which may reference the same large value repeatedly. */
export class PatchEffort {
  left: number;

  constructor(characters: number) {
    this.left = characters;
  }

  get isSpent(): boolean {
    return this.left < 0;
  }
}

/** RFC 6902 §4.6: members in any order. Returns false if the budget is spent. `b` must not be a patched value. */
export function areEqual(a: Json, b: Json, effort: PatchEffort): boolean {
  effort.left -= typeof a === 'string' ? a.length : 1;
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b) || effort.isSpent) return false;
  if (isList(a)) return isList(b) && areListsEqual(a, b, effort);
  return !isList(b) && areMembersEqual(a, b, effort);
}

function areListsEqual(a: List, b: List, effort: PatchEffort): boolean {
  return a.length === b.length && a.every((item, index) => areEqual(item, b[index] ?? null, effort));
}

function areMembersEqual(a: Members, b: Members, effort: PatchEffort): boolean {
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
