import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** Maximum number of `$ref` and single-branch steps to follow for one field. */
const MAX_HOPS = 16;
/** Larger schemas are not inlined. Copying one into every field that refers to it would take seconds. */
const MAX_KEYWORDS = 100;

interface Shape {
  readonly schema: JsonObject;
  readonly nullable: boolean;
}

/**
 * Inlines references and combinators with one branch, and separates `null` from the rest. A generated "optional X" thus
 * becomes X. Terminates on every input, and keeps what it cannot inline.
 */
export function shapeOf(value: Json | undefined, root: JsonObject): Shape {
  let schema: JsonObject = isJsonObject(value) ? value : {};
  let nullable = false;
  for (let hop = 0; hop < MAX_HOPS && memberCount(schema) <= MAX_KEYWORDS; hop++) {
    const next = referenced(schema, root) ?? onlyBranch(schema);
    if (next === undefined) break;
    nullable ||= next.nullable;
    schema = next.schema;
  }
  const types = schema['type'];
  if (!isJsonArray(types) || memberCount(schema) > MAX_KEYWORDS) return { schema, nullable };
  const others = types.filter((type) => type !== 'null');
  const type = others.length === 1 ? others[0] : others;
  return { schema: { ...schema, type }, nullable: nullable || others.length < types.length };
}

function referenced(schema: JsonObject, root: JsonObject): Shape | undefined {
  const { $ref: reference, ...siblings } = schema;
  if (typeof reference !== 'string') return undefined;
  const target = lookUp(reference, root);
  return target === undefined || memberCount(target) > MAX_KEYWORDS
    ? undefined
    : { schema: { ...target, ...siblings }, nullable: false };
}

function lookUp(reference: string, root: JsonObject): JsonObject | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let value: Json | undefined = root;
  for (const step of reference.split('/').slice(1, 1 + MAX_HOPS)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return isJsonObject(value) ? value : undefined;
}

function onlyBranch(schema: JsonObject): Shape | undefined {
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[keyword];
    if (!isJsonArray(branches) || branches.length === 0 || branches.length > 2) continue;
    const rest = branches.filter((branch) => !isNull(branch));
    const [only] = rest;
    if (rest.length !== 1 || !isJsonObject(only) || memberCount(only) > MAX_KEYWORDS) continue;
    // `allOf` with null and another type matches nothing, so leave it.
    if (keyword === 'allOf' && branches.length > 1) continue;
    if (only['properties'] !== undefined && schema['properties'] !== undefined) continue;
    const siblings = Object.fromEntries(Object.entries(schema).filter(([key]) => key !== keyword));
    return { schema: { ...only, ...siblings }, nullable: rest.length < branches.length };
  }
  return undefined;
}

function isNull(branch: Json): boolean {
  return isJsonObject(branch) && (branch['type'] === 'null' || branch['const'] === null);
}

const counts = new WeakMap<JsonObject, number>();

/** Counted once for each object: a hundred fields may refer to one with a hundred thousand members. */
export function memberCount(object: JsonObject): number {
  const known = counts.get(object) ?? Object.keys(object).length;
  counts.set(object, known);
  return known;
}

export function textMember(schema: JsonObject, key: string): string | undefined {
  const value = schema[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberMember(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

/** A number that is valid as a length or a count. */
export function countMember(schema: JsonObject, key: string): number | undefined {
  const value = numberMember(schema, key);
  return value !== undefined && value >= 0 ? Math.floor(value) : undefined;
}
