import { format, type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import {
  cleanLine,
  clip,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  messageOf,
  type SchemaVerdict,
} from '../../core/index.ts';

/** JSON Schema 2020-12: formats are annotations, not assertions. */
for (const name of Object.keys(format)) delete format[name];
Object.setPrototypeOf(format, null);

const DIALECTS: Readonly<Record<string, SchemaDraft>> = {
  'json-schema.org/draft/2020-12/schema': '2020-12',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft-07/schema': '7',
  'json-schema.org/draft-06/schema': '7',
  'json-schema.org/draft-04/schema': '4',
};

/** Maximum reported errors. A list of a thousand rows may have a thousand. */
const MAX_PROBLEMS = 5;
const MAX_PROBLEM = 300;

/** Errors that only point to a nested error, which has its own entry. */
const WRAPPERS = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'dependentSchemas'],
  ...['allOf', 'anyOf', 'oneOf', 'if', '$ref', '$recursiveRef'],
]);

/** Validates values with one schema. May take unlimited time, so the caller must be able to terminate the thread. */
export type Judge = (value: Json) => SchemaVerdict;

/** Compiles a schema once for all values. */
export function compileJudge(schema: Json): Judge {
  const dialect = dialectOf(schema);
  if (dialect === undefined) return () => unusable('The schema is written in a dialect that this host does not know.');
  try {
    const bound = dialect === '2020-12' ? boundDynamicRefs(schema) : schema;
    if (!isSchema(bound)) return () => unusable('The schema is not an object.');
    const fault = keywordFault(schema, dialect);
    if (fault !== undefined) return () => unusable(`The schema cannot be used: ${fault}`);
    const validator = new Validator(bound, dialect);
    return (value) => judgeBy(validator, value);
  } catch (error) {
    const why = `The schema cannot be used: ${reasonOf(error)}`;
    return () => unusable(why);
  }
}

function judgeBy(validator: Validator, value: Json): SchemaVerdict {
  try {
    const { valid, errors } = validator.validate(value);
    return valid ? { kind: 'ok' } : { kind: 'mismatch', problems: problemsOf(errors) };
  } catch (error) {
    // For example an external reference, an invalid pattern, or endless recursion.
    return unusable(`The schema cannot be used: ${reasonOf(error)}`);
  }
}

function unusable(why: string): SchemaVerdict {
  return { kind: 'undecided', why, isSchemaFault: true };
}

const TYPES = new Set<Json | undefined>(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

const isType = (value: Json): boolean => TYPES.has(value);
const isNumber = (value: Json): boolean => typeof value === 'number';
const isCount = (value: Json): boolean => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: Json): boolean => typeof value === 'string';
const isFlag = (value: Json): boolean => typeof value === 'boolean';
const isPart = (value: Json): boolean => isJsonObject(value) || isFlag(value);
const isFilled = (value: Json): boolean => isJsonArray(value) && value.length > 0;

/** Valid values of each keyword. The validator does not check them: `"required": "id"` would require `i` and `d`. */
const KEYWORDS: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ['type', (value: Json): boolean => (isJsonArray(value) ? value.length > 0 && value.every(isType) : isType(value))],
  ['multipleOf', (value: Json): boolean => isNumber(value) && Number(value) > 0],
  ['required', (value: Json): boolean => isJsonArray(value) && value.every(isText)],
  ['enum', isJsonArray],
  ['items', (value: Json): boolean => isPart(value) || isJsonArray(value)],
  ...each(isNumber, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...each(isCount, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...each(isCount, 'minContains', 'maxContains'),
  ...each(isText, 'pattern', '$ref'),
  ...each(isFlag, 'uniqueItems'),
  ...each(isFilled, 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...each(isJsonObject, 'properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', 'dependencies'),
  ...each(isPart, 'additionalProperties', 'unevaluatedProperties', 'propertyNames', 'contains', 'additionalItems'),
  ...each(isPart, 'unevaluatedItems', 'not', 'if', 'then', 'else'),
]);

function each(
  check: (value: Json) => boolean,
  ...names: readonly string[]
): readonly (readonly [string, (value: Json) => boolean])[] {
  return names.map((name) => [name, check]);
}

/** Draft 4 has a boolean next to the bound. */
const isExclusiveFlag = (name: string, value: Json): boolean => /^exclusiveM/.test(name) && isFlag(value);

/** The first keyword with an invalid value. */
function keywordFault(schema: Json, dialect: SchemaDraft): string | undefined {
  let fault: string | undefined;
  const check = (part: JsonObject): JsonObject => {
    for (const [name, value] of Object.entries(part)) {
      if (value === undefined || KEYWORDS.get(name)?.(value) !== false) continue;
      if (dialect === '4' && isExclusiveFlag(name, value)) continue;
      fault ??= `"${name}" cannot be ${cleanLine(JSON.stringify(value), 60)}`;
    }
    return part;
  };
  rewriteAll(schema, check);
  return fault;
}

function dialectOf(schema: Json): SchemaDraft | undefined {
  const named = isJsonObject(schema) ? schema['$schema'] : undefined;
  if (named === undefined) return '2020-12';
  const name = typeof named === 'string' ? named.replace(/^https?:\/\//, '').replace(/#$/, '') : '';
  return Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
}

function isSchema(value: unknown): value is Schema | boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

function problemsOf(errors: readonly OutputUnit[]): readonly string[] {
  const precise = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
  const shownErrors = precise.length > 0 ? precise : errors;
  const texts = new Set(shownErrors.map(textOf));
  const shown = [...texts].slice(0, MAX_PROBLEMS);
  return texts.size > shown.length ? [...shown, `and ${texts.size - shown.length} more`] : shown;
}

function textOf({ instanceLocation, keyword, error }: OutputUnit): string {
  const path = cleanLine(instanceLocation.replace(/^#/, ''), MAX_PROBLEM / 2);
  const problem = keyword === 'false' ? 'It is not allowed here.' : cleanLine(error, MAX_PROBLEM);
  return clip(path === '' ? problem : `${path}: ${problem}`, MAX_PROBLEM);
}

/** Removes the validator's debugging details. */
function reasonOf(error: unknown): string {
  return cleanLine(messageOf(error).replace(/\s+(Absolute URI|Known schemas)[^]*/, ''), MAX_PROBLEM);
}

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
function boundDynamicRefs(schema: Json): Json {
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
function rewriteAll(schema: Json, step: (schema: JsonObject) => JsonObject): Json {
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
