import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { compileSchema, plainProblems } from '../../../../src/core/form/plainSchema.ts';
import { compileJudge } from '../../../../src/node/schemas/schemaJudge.ts';
import { dose } from '../../../support/dose.ts';

const RUNS = dose(2_000, 100_000);

/** The problems of arguments, or why the plain check does not apply. */
function problems(schema: JsonObject, args: JsonObject): readonly string[] | string {
  const compiled = compileSchema(schema);
  if (compiled.kind !== 'plain') return compiled.kind;
  return plainProblems(compiled.node, args) ?? 'too many steps';
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

suite('Arguments checked in place', () => {
  test('have problems with the path of each invalid part', () => {
    const schema = object(
      {
        city: { type: 'string', minLength: 2, maxLength: 4 },
        days: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 3 },
        unit: { enum: ['c', 'f', null] },
        'a/b~c': { type: 'boolean' },
        at: object(
          { lat: { type: 'number', exclusiveMaximum: 90 } },
          { required: ['lat', 'lon'], additionalProperties: false },
        ),
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      { required: ['city', 'unit'] },
    );
    const right = { city: 'Oslo', unit: null, days: [1, 2.0], at: { lat: 1, lon: 2 }, note: null, other: [] };
    const { lon, ...closed } = right.at;
    assert.equal(lon, 2);
    assert.deepEqual(
      [
        problems(schema, { ...right, at: undefined }),
        problems(schema, { city: 5 }),
        problems(schema, { city: '😀', unit: 'k', days: [0, -1, 'x', 2] }),
        problems(schema, { city: '😀😀😀😀', unit: 'c', 'a/b~c': 'yes' }),
        problems(schema, { ...right, at: { ...closed, high: 1, lat: 90 } }),
        problems(schema, { ...right, at: [], note: 3, days: [0.5, '7', null] }),
      ],
      [
        [],
        ['/unit: is required.', '/city: must be string, not number.'],
        [
          '/city: must have at least 2 characters.',
          '/unit: must be one of "c", "f", null.',
          '/days: must have at most 3 items.',
        ],
        ['/a~1b~0c: must be boolean, not string.'],
        ['/at/lon: is required.', '/at/lat: must be below 90.', '/at/high: is not allowed here.'],
        [
          '/days/0: must be integer, not number.',
          '/days/1: must be integer, not string.',
          '/days/2: must be integer, not null.',
          '/at: must be object, not array.',
          '/note: must be string or null, not number.',
        ],
      ],
    );
  });

  test('are shown without hidden characters, and five problems at the most', () => {
    const names = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`n\u202e${index}`, 1]));
    const found = problems({ type: 'object', additionalProperties: false }, names);
    assert.deepEqual(
      found,
      Array.from({ length: 5 }, (_, index) => `/n${index}: is not allowed here.`),
    );
  });

  test('need no check where the schema says nothing of them', () => {
    const schemas: readonly JsonObject[] = [
      ...[{}, { type: 'object' }, { type: ['object', 'null'] }, { type: 'object', additionalProperties: true }],
      ...[{ type: 'object', title: 't', description: 'd', $schema: 'http://json-schema.org/draft-07/schema#' }],
    ];
    for (const schema of schemas) assert.equal(problems(schema, { any: 1 }), 'any', JSON.stringify(schema));
  });

  test('are left to the thread if the schema needs more, and are a fault if it fits no arguments', () => {
    const others: readonly JsonObject[] = [
      ...[{ $ref: '#/$defs/a' }, { allOf: [{}] }, { not: {} }, { patternProperties: {} }, { minProperties: 1 }],
      ...[{ pattern: 'a' }, { items: [{}] }, { prefixItems: [] }, { enum: [{}] }, { uniqueItems: true }],
      ...[{ type: 'text' }, { type: [] }, { type: 7 }, { required: true }, { required: [1] }, { properties: [] }],
      ...[
        { anyOf: [] },
        { minimum: '1' },
        { maxLength: -1 },
        { minItems: 1.5 },
        { exclusiveMinimum: true },
        { additionalProperties: { type: 'string' } },
      ],
    ];
    for (const schema of others) assert.equal(problems(object({ a: schema }), {}), 'other', JSON.stringify(schema));
    const strange = 'https://example.com/own';
    assert.equal(problems({ $schema: strange, required: ['a'] }, {}), 'other');
    assert.equal(problems({ type: 'array', items: {} }, {}), 'fault');
  });

  test('names that every object inherits are names like others', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["toString"]}') as JsonObject;
    assert.deepEqual(problems(schema, { a: 1 }), ['/toString: is required.']);
    const own = JSON.parse('{"__proto__":7,"toString":1}') as JsonObject;
    assert.deepEqual(problems(schema, own), ['/__proto__: must be string, not number.']);
  });

  test('that would take too long are left to the thread', () => {
    const wide = object({
      rows: { items: object({}, { required: Array.from({ length: 1_000 }, (_, index) => `m${index}`) }) },
    });
    const row = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${index}`, 1]));
    assert.equal(problems(wide, { rows: Array.from({ length: 1_000 }, () => row) }), 'too many steps');
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    assert.equal(problems(object(properties), {}), 'other');
  });

  test('are judged as the whole validator judges them, by every plain schema', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const scalar = fc.oneof(fc.constantFrom('', 'a', '😀b', 0, 1, 2.5, -3, true, false, null));
    /** Nested exactly this deep. */
    const schemaOf = (depth: number): fc.Arbitrary<JsonObject> => {
      const flat = {
        type: fc.oneof(
          fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string'),
          fc.uniqueArray(fc.constantFrom('null', 'object', 'array', 'integer', 'string'), { minLength: 1 }),
        ),
        required: fc.uniqueArray(name),
        enum: fc.uniqueArray(scalar, { minLength: 1 }),
        additionalProperties: fc.boolean(),
        minimum: fc.integer({ min: -2, max: 2 }),
        exclusiveMaximum: fc.integer({ min: -2, max: 3 }),
        minLength: fc.nat(3),
        maxLength: fc.nat(3),
        minItems: fc.nat(2),
        maxItems: fc.nat(2),
      };
      if (depth === 0) return fc.record(flat, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
      const inner = schemaOf(depth - 1);
      const nested = {
        properties: fc.dictionary(name, inner, { maxKeys: 2 }),
        items: inner,
        anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      };
      return fc.oneof(
        fc.record(flat, { requiredKeys: [] }),
        fc.record({ type: flat.type, required: flat.required, ...nested }, { requiredKeys: [] }),
      ) as fc.Arbitrary<JsonObject>;
    };
    const valueOf = (depth: number): fc.Arbitrary<Json> =>
      depth === 0
        ? scalar
        : fc.oneof(
            scalar,
            fc.array(valueOf(depth - 1), { maxLength: 3 }),
            fc.dictionary(name, valueOf(depth - 1), { maxKeys: 3 }),
          );
    const args = fc.dictionary(name, valueOf(2), { maxKeys: 3 });
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(
        fc.dictionary(name, schemaOf(2), { minKeys: 1 }),
        fc.uniqueArray(name),
        args,
        (properties, required, given) => {
          const whole = object(properties as JsonObject, { required });
          const found = problems(whole, given as JsonObject);
          if (typeof found === 'string') return;
          seen[found.length === 0 ? 'right' : 'wrong']++;
          const verdict = compileJudge(whole)(given as JsonObject);
          assert.equal(found.length === 0 ? 'ok' : 'mismatch', verdict.kind, JSON.stringify({ found, verdict }));
        },
      ),
      { numRuns: RUNS },
    );
    assert.ok(seen.right > RUNS / 100 && seen.wrong > RUNS / 100, JSON.stringify(seen));
  });
});
