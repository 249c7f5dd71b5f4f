import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CancellationSource, type Json, type JsonObject, NO_CANCELLATION } from '../../src/core/index.ts';
import { createSchemaChecker, type ThreadedSchemaChecker } from '../../src/node/schemas/schemaChecker.ts';

const WORKER = new URL('../../src/node/schemas/schemaWorker.ts', import.meta.url);

suite('Schema checker', () => {
  let checker: ThreadedSchemaChecker;

  setup(() => {
    checker = createSchemaChecker({ workerPath: WORKER });
  });
  teardown(() => checker.close());

  const check = (schema: JsonObject, value: Json) => checker.check(schema, value, NO_CANCELLATION);

  async function verdicts(schema: JsonObject, ...values: readonly Json[]): Promise<string> {
    const all = await Promise.all(values.map((value) => check(schema, value)));
    return all.map(({ kind }) => kind).join(' ');
  }

  test('what is wrong is said with its place, in a few sentences', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'array', items: { type: 'integer', minimum: 0 } } },
      required: ['city', 'unit'],
      additionalProperties: false,
    };
    assert.deepEqual(await check(schema, { city: 'Oslo', unit: 1, days: [1, -2] }), {
      kind: 'mismatch',
      problems: ['/days/1: -2 is less than 0.'],
    });
    assert.deepEqual(await check(schema, { city: 5, more: true }), {
      kind: 'mismatch',
      problems: [
        'Instance does not have required property "unit".',
        '/city: Instance type "number" is invalid. Expected "string".',
      ],
    });
    assert.deepEqual(await check({ type: 'object', additionalProperties: false }, { more: true }), {
      kind: 'mismatch',
      problems: ['/more: It is not allowed here.'],
    });
  });

  test('a thousand problems are reported as five and a number', async () => {
    const schema = {
      prefixItems: Array.from({ length: 9 }, (_, n) => ({ allOf: [{ const: n }] })),
      minItems: 20,
      maxItems: 1,
    };
    const names = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`a${n}`, n]));
    const many = { allOf: Object.keys(names).map((name) => ({ properties: { [name]: { type: 'string' } } })) };
    assert.equal((await check(schema, [9])).kind, 'mismatch');
    const verdict = await check(many, names);
    assert.equal(verdict.kind === 'mismatch' && verdict.problems.at(-1), 'and 4 more');
  });

  test('the words of 2020-12 are understood: $defs, prefixItems, unevaluatedProperties, dependentSchemas', async () => {
    const defs = { $defs: { id: { type: 'integer' } }, properties: { id: { $ref: '#/$defs/id' } } };
    assert.equal(await verdicts(defs, { id: 1 }, { id: 'x' }), 'ok mismatch');
    const tuple = { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
    assert.equal(await verdicts(tuple, ['a', 1], ['a', 1, 2], [1, 'a']), 'ok mismatch mismatch');
    const closed = { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false };
    assert.equal(await verdicts(closed, { a: 1, b: 2 }, { a: 1, c: 3 }), 'ok mismatch');
    const dependent = { dependentSchemas: { card: { required: ['address'] } } };
    assert.equal(await verdicts(dependent, {}, { card: 1 }, { card: 1, address: 2 }), 'ok mismatch ok');
  });

  test('a $dynamicRef with one possible target is followed, and one with several leaves the check undecided', async () => {
    const tree = {
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $dynamicRef: '#node' } } },
      unevaluatedProperties: false,
    };
    assert.equal(
      await verdicts(tree, { name: 'a', children: [{ name: 'b' }] }, { children: [{ name: 1 }] }),
      'ok mismatch',
    );
    assert.equal(await verdicts(tree, { children: [{ nam: 'b' }] }), 'mismatch');
    const beside = {
      $defs: { t: { $dynamicAnchor: 't', minLength: 2 } },
      $ref: '#/$defs/t',
      $dynamicRef: '#t',
      type: 'string',
    };
    assert.equal(await verdicts(beside, 'ab', 'a', 12), 'ok mismatch mismatch');
    const two = {
      $defs: { open: { $dynamicAnchor: 'item' }, text: { $id: 'other', $dynamicAnchor: 'item', type: 'string' } },
      items: { $dynamicRef: '#item' },
    };
    assert.deepEqual(await check(two, [1]), {
      kind: 'undecided',
      why: 'The schema cannot be used: one of its references depends on the way by which it is reached',
      isSchemaFault: true,
    });
    // Values and member names that only look like keywords.
    assert.equal(
      await verdicts({ properties: { $dynamicRef: { const: { $dynamicRef: '#x' } } } }, { $dynamicRef: 1 }),
      'mismatch',
    );
  });

  test('older dialects are read as they name themselves, and a strange one is left undecided', async () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: false,
    };
    assert.equal(await verdicts(draft7, ['a'], ['a', 1]), 'ok mismatch');
    const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true };
    assert.equal(await verdicts(draft4, 2, 1), 'ok mismatch');
    assert.equal(await verdicts({ $schema: 'https://example.com/own', type: 'string' }, 1), 'undecided');
    assert.equal(await verdicts({ $schema: 'constructor', type: 'string' }, 1), 'undecided');
  });

  test('a keyword that holds what no schema may hold leaves the check undecided, wherever it stands', async () => {
    const broken: readonly JsonObject[] = [
      { type: [] },
      { type: 'text' },
      { required: 'id' },
      { required: [1] },
      { enum: 'abc' },
      { minimum: 0, exclusiveMinimum: true },
      { minimum: '3' },
      { maximum: null },
      { multipleOf: 0 },
      { maxLength: null },
      { maxLength: -1 },
      { minLength: 1.5 },
      { uniqueItems: 'yes' },
      { pattern: 3 },
      { anyOf: [] },
      { oneOf: {} },
      { items: 'string' },
      { properties: [] },
      { additionalProperties: 'no' },
      { not: null },
    ];
    for (const part of broken)
      for (const schema of [part, { properties: { a: part } }, { anyOf: [{ items: part }] }])
        assert.equal(await verdicts(schema, 'x', { a: 1 }), 'undecided undecided', JSON.stringify(schema));
    // A member, a value and a name that only look like keywords.
    const whole = { properties: { required: { const: { required: 'id' } }, maxLength: true }, default: { enum: 1 } };
    assert.equal(await verdicts(whole, { maxLength: null }, { required: 1 }), 'ok mismatch');
  });

  test('a format annotates and asserts nothing', async () => {
    assert.equal(await verdicts({ format: 'email' }, 'nobody'), 'ok');
    assert.equal(await verdicts({ format: 'hasOwnProperty' }, 'x'), 'ok');
  });

  test('names of the language are names like others', async () => {
    const schema: JsonObject = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["toString"]}',
    );
    const good: Json = JSON.parse('{"__proto__":"a","constructor":1,"toString":null}');
    const bad: Json = JSON.parse('{"__proto__":1,"toString":null}');
    assert.equal(await verdicts(schema, good, bad, {}), 'ok mismatch mismatch');
  });

  test('a reference to the network is not followed', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('{"type":"string"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const schema = { $ref: `http://127.0.0.1:${port}/schema.json` };
      const verdict = await check(schema, 1);
      assert.match(
        verdict.kind === 'undecided' ? verdict.why : verdict.kind,
        /^The schema cannot be used: Unresolved \$ref/,
      );
      assert.deepEqual(asked, []);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('a pattern that would run forever is cut, is not tried again, and stops no other check', async () => {
    await checker.close();
    checker = createSchemaChecker({ workerPath: WORKER, timeLimitMs: 300 });
    const hostile = { pattern: '^(a+)+$' };
    const text = `${'a'.repeat(40)}!`;
    const started = Date.now();
    const [cut, after] = await Promise.all([check(hostile, text), check({ type: 'string' }, 'b')]);
    assert.deepEqual(
      [cut, after],
      [{ kind: 'undecided', why: 'The check took longer than 0.3 s.', isSchemaFault: true }, { kind: 'ok' }],
    );
    assert.ok(Date.now() - started < 9_000);
    assert.deepEqual(await check(hostile, 'a'), {
      kind: 'undecided',
      why: 'Checking by this schema was given up before.',
      isSchemaFault: true,
    });
  });

  test('compositions that multiply, and schemas that refer to themselves forever, end too', async () => {
    await checker.close();
    checker = createSchemaChecker({ workerPath: WORKER, timeLimitMs: 300 });
    const levels = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `l${n}`,
        { anyOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] },
      ]),
    );
    const bomb = { $defs: { ...levels, l40: false }, $ref: '#/$defs/l0' };
    assert.equal((await check(bomb, 1)).kind, 'undecided');
    assert.equal((await check({ $ref: '#' }, 1)).kind, 'undecided');
    assert.equal((await check({ pattern: '[' }, 'a')).kind, 'undecided');
  });

  test('what is too large is not even copied', async () => {
    const large = Array.from({ length: 200_001 }, () => 0);
    assert.deepEqual(await check({ type: 'array' }, large), {
      kind: 'undecided',
      why: 'The value is too large to be checked.',
    });
    assert.equal(await verdicts({ enum: ['x'.repeat(1_000_001)] }, 'x'), 'undecided');
    let deep: Json = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    assert.equal((await check({ type: 'array' }, deep)).kind, 'undecided');
    assert.equal(await verdicts({ type: 'array' }, []), 'ok');
  });

  test('a cancelled check settles at once, before, while and without its turn', async () => {
    const source = new CancellationSource();
    const first = check({ type: 'string' }, 'a');
    const second = checker.check({ type: 'string' }, 'a', source.token);
    source.cancel();
    const third = checker.check({ type: 'string' }, 'a', source.token);
    const cancelled = { kind: 'undecided', why: 'The check was cancelled.' };
    assert.deepEqual(await Promise.all([second, third, first]), [cancelled, cancelled, { kind: 'ok' }]);
  });

  test('a thread that does not start leaves everything undecided, and a closed checker too', async () => {
    const broken = createSchemaChecker({ workerPath: new URL('./noSuchFile.ts', import.meta.url) });
    for (let attempt = 0; attempt < 3; attempt++)
      assert.equal((await broken.check({}, 1, NO_CANCELLATION)).kind, 'undecided');
    assert.deepEqual(await broken.check({}, 1, NO_CANCELLATION), {
      kind: 'undecided',
      why: 'The thread that checks schemas does not start.',
    });
    await broken.close();
    await checker.close();
    assert.deepEqual(await check({}, 1), { kind: 'undecided', why: 'Nothing is checked any more.' });
  });
});
