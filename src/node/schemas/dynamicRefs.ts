import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** Keywords whose values are schemas. Other values (an enum, a default) only look like schemas. */
const IN_SCHEMAS = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'unevaluatedItems', 'contains'],
  ...['not', 'if', 'then', 'else', 'prefixItems', 'allOf', 'anyOf', 'oneOf'],
]);
const IN_MAPS = new Set(['$defs', 'definitions', 'properties', 'patternProperties', 'dependentSchemas']);

/**
 * The validator does not support `$dynamicRef` and `$dynamicAnchor`. If only one schema has the anchor, the reference
 * equals a `$ref` and is replaced by one. Throws if the target depends on the evaluation path.
 */
export function boundDynamicRefs(schema: Json): Json {
  if (!JSON.stringify(schema).includes('"$dynamic')) return schema;
  const anchors = new Map<string, number>();
  rewriteAll(schema, (subschema) => {
    for (const key of ['$anchor', '$dynamicAnchor']) {
      const name = subschema[key];
      if (typeof name === 'string') anchors.set(`#${name}`, (anchors.get(`#${name}`) ?? 0) + 1);
    }
    return subschema;
  });
  return rewriteAll(schema, (subschema) => bound(subschema, anchors));
}

function bound(schema: JsonObject, anchors: ReadonlyMap<string, number>): JsonObject {
  const { $dynamicRef: reference, $dynamicAnchor: anchor, ...rest } = schema;
  const anchored = typeof anchor === 'string' && rest['$anchor'] === undefined ? { ...rest, $anchor: anchor } : rest;
  if (reference === undefined) return anchored;
  const isPointer = typeof reference === 'string' && /^#(\/|$)/.test(reference);
  if (typeof reference !== 'string' || (!isPointer && anchors.get(reference) !== 1))
    throw new Error('one of its references depends on the way by which it is reached');
  if (anchored['$ref'] === undefined) return { ...anchored, $ref: reference };
  const all = isJsonArray(anchored['allOf']) ? anchored['allOf'] : [];
  return { ...anchored, allOf: [...all, { $ref: reference }] };
}

/** Applies a function to all nested schemas, innermost first. */
export function rewriteAll(schema: Json, step: (schema: JsonObject) => JsonObject): Json {
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).map(([key, value]) => {
    if (value === undefined) return [key, value] as const;
    if (IN_SCHEMAS.has(key))
      return [key, isJsonArray(value) ? value.map((item) => rewriteAll(item, step)) : rewriteAll(value, step)] as const;
    if (!IN_MAPS.has(key) || !isJsonObject(value)) return [key, value] as const;
    const entries = Object.entries(value).map(([name, child]) => [name, child && rewriteAll(child, step)] as const);
    return [key, Object.fromEntries(entries)] as const;
  });
  return step(Object.fromEntries(members));
}
