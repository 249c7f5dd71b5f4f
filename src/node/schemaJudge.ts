import { format, type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { cleanLine, clip, isJsonObject, type Json, messageOf, type SchemaVerdict } from '../core/index.ts';
import { boundDynamicRefs } from './dynamicRefs.ts';

/** JSON Schema 2020-12: a format annotates and does not assert. */
for (const name of Object.keys(format)) delete format[name];
Object.setPrototypeOf(format, null);

const DIALECTS: Readonly<Record<string, SchemaDraft>> = {
  'json-schema.org/draft/2020-12/schema': '2020-12',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft-07/schema': '7',
  'json-schema.org/draft-06/schema': '7',
  'json-schema.org/draft-04/schema': '4',
};

/** Problems that are told; a list of a thousand rows may have as many. */
const MAX_PROBLEMS = 5;
const MAX_PROBLEM = 300;

/** Says only that something inside is wrong, which has an entry of its own. */
const WRAPPERS = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'dependentSchemas'],
  ...['allOf', 'anyOf', 'oneOf', 'if', '$ref', '$recursiveRef'],
]);

/** Judges a value. Takes as long as the schema makes it take: whoever calls this must be able to end the thread. */
export function judge(schema: Json, value: Json): SchemaVerdict {
  const dialect = dialectOf(schema);
  if (dialect === undefined) return undecided('The schema is written in a dialect that this host does not know.');
  try {
    const bound = dialect === '2020-12' ? boundDynamicRefs(schema) : schema;
    if (!isSchema(bound)) return undecided('The schema is not an object.');
    const { valid, errors } = new Validator(bound, dialect).validate(value);
    return valid ? { kind: 'ok' } : { kind: 'mismatch', problems: problemsOf(errors) };
  } catch (error) {
    // A reference that leads out of the schema, a pattern that is none, a schema that refers to itself for ever.
    return undecided(`The schema cannot be used: ${reasonOf(error)}`);
  }
}

function undecided(why: string): SchemaVerdict {
  return { kind: 'undecided', why };
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
  const told = precise.length > 0 ? precise : errors;
  const texts = new Set(told.map(textOf));
  const shown = [...texts].slice(0, MAX_PROBLEMS);
  return texts.size > shown.length ? [...shown, `and ${texts.size - shown.length} more`] : shown;
}

function textOf({ instanceLocation, keyword, error }: OutputUnit): string {
  const place = cleanLine(instanceLocation.replace(/^#/, ''), MAX_PROBLEM / 2);
  const problem = keyword === 'false' ? 'It is not allowed here.' : cleanLine(error, MAX_PROBLEM);
  return clip(place === '' ? problem : `${place}: ${problem}`, MAX_PROBLEM);
}

/** Without what the validator adds for whoever debugs it. */
function reasonOf(error: unknown): string {
  return cleanLine(messageOf(error).replace(/\s+(Absolute URI|Known schemas)[^]*/, ''), MAX_PROBLEM);
}
