import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  collectArguments,
  fillForm,
  type FormValues,
  initialValues,
  type Json,
  type JsonObject,
  schemaForm,
} from '../../../../src/core/index.ts';
import { renderForm } from '../../../support/renderForm.ts';

const SEARCH: JsonObject = {
  type: 'object',
  required: ['query', 'mode', 'filter'],
  properties: {
    query: { type: 'string', title: 'Search for', minLength: 2 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    ratio: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 },
    deep: { type: 'boolean' },
    mode: { enum: ['fast', 'exact'] },
    level: {
      oneOf: [
        { const: 1, title: 'Low' },
        { const: 2, title: 'High' },
      ],
    },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    kinds: { type: 'array', items: { enum: ['a', 'b'] } },
    body: { type: 'string' },
    filter: {
      type: 'object',
      required: ['owner'],
      properties: { owner: { type: 'string' }, since: { type: 'string', format: 'date' } },
    },
    options: { type: 'object', properties: { retries: { type: 'integer', default: 3 }, note: { type: 'string' } } },
    anything: {},
  },
};

suite('the form of a tool', () => {
  test('has one field for each member, of the kind that its schema asks for', () => {
    assert.equal(
      renderForm(schemaForm(SEARCH)),
      [
        'query* "Search for" text 2..',
        'limit integer 1..100 = 10',
        'ratio number above 0.. step 0.1',
        'deep boolean',
        'mode* choice fast|exact',
        'level choice Low|High',
        'tags list of text ..3',
        'kinds choices a|b',
        'body multiline',
        'filter* group',
        '  owner* text',
        '  since text date',
        'options group',
        '  retries integer = 3',
        '  note text',
        'anything json any',
      ].join('\n'),
    );
  });

  test('reads what generators write for optional, referenced and titled members', () => {
    const schema: JsonObject = {
      $defs: {
        Color: { type: 'string', enum: ['red', 'blue'], title: 'Color' },
        Point: { type: 'object', properties: { x: { type: 'number' } } },
      },
      properties: {
        name: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
        color: { $ref: '#/$defs/Color', default: 'red' },
        at: { allOf: [{ $ref: '#/$defs/Point' }], title: 'Where' },
        either: { type: ['string', 'number'] },
        maybe: { type: ['boolean', 'null'] },
        old: { type: 'number', minimum: 0, exclusiveMinimum: true },
        only: { const: 'v1' },
        secret: { type: 'string', writeOnly: true },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        rows: { type: 'array', items: { type: 'object' } },
      },
      required: ['only'],
      type: 'object',
    };
    assert.equal(
      renderForm(schemaForm(schema)),
      [
        'name? text',
        'color "Color" choice red|blue = "red"',
        'at "Where" group',
        '  x number',
        'either json any',
        'maybe? boolean',
        'old number above 0..',
        'only* choice v1 = "v1"',
        'secret text password',
        'map json object',
        'rows json array',
      ].join('\n'),
    );
  });

  test('says that it is not complete where more can be sent than it shows', () => {
    const open = [
      { additionalProperties: true },
      {},
      { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { $ref: '#/$defs/No' },
    ];
    assert.deepEqual(
      open.map((schema) => schemaForm(schema).complete),
      [false, false, false, false],
    );
    assert.equal(schemaForm({ type: 'object' }).complete, true);
    assert.equal(schemaForm({ type: 'object', properties: {} }).complete, true);
  });

  test('cleans and bounds the texts of the server', () => {
    const bad = `a\u202Eb\u0000${'x'.repeat(5_000)}`;
    const form = schemaForm({ type: 'object', properties: { [bad]: { title: bad, description: bad } } });
    const [field] = form.fields;
    assert.equal(field?.name, bad);
    assert.match(field?.label ?? '', /^abx+…$/);
    assert.deepEqual([field?.label.length, field?.description.length], [120, 2_000]);
  });

  test('stays small and finite for schemas that refer to themselves, nest or branch without end', () => {
    const tree: JsonObject = {
      type: 'object',
      $defs: {
        node: {
          type: 'object',
          properties: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { $ref: '#/$defs/node' }])),
        },
        loop: { $ref: '#/$defs/loop' },
      },
      properties: { root: { $ref: '#/$defs/node' }, loop: { $ref: '#/$defs/loop' }, self: { $ref: '#' } },
    };
    const lines = renderForm(schemaForm(tree)).split('\n');
    assert.ok(lines.length < 250, `${lines.length} lines`);
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`m${i}`, { type: 'string' }]));
    const form = schemaForm({ type: 'object', properties: wide });
    assert.deepEqual([form.fields.length, form.complete], [200, false]);
    const options = Array.from({ length: 5_000 }, (_, i) => i);
    assert.equal(renderForm(schemaForm({ type: 'object', properties: { n: { enum: options } } })), 'n json any');
  });

  test('turns to JSON where groups nest deeper than the user would follow', () => {
    const nested = (depth: number): JsonObject =>
      depth === 0 ? { type: 'string' } : { type: 'object', properties: { in: nested(depth - 1) } };
    assert.deepEqual(
      renderForm(schemaForm(nested(20)))
        .split('\n')
        .map((line) => line.trim()),
      ['in group', 'in group', 'in group', 'in group', 'in group', 'in json object'],
    );
  });

  test('makes nothing of members that only look like members', () => {
    const schema: JsonObject = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a/b~c":{"type":"string"}}}',
    );
    const form = schemaForm(schema);
    assert.deepEqual(
      form.fields.map((field) => field.id),
      ['/__proto__', '/a~1b~0c'],
    );
    const collected = collectArguments(form, { '/__proto__': 'x', '/a~1b~0c': 'y' });
    assert.equal(JSON.stringify(collected), '{"kind":"arguments","args":{"__proto__":"x","a/b~c":"y"}}');
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
  });
});

suite('the arguments of a form', () => {
  const form = schemaForm(SEARCH);
  const collect = (values: FormValues): unknown => {
    const collected = collectArguments(form, values);
    return collected.kind === 'arguments' ? collected.args : collected.errors;
  };
  const enough: FormValues = { '/query': 'cats', '/mode': '1', '/filter/owner': 'me' };

  test('leave out what is optional and empty, an untouched group included', () => {
    assert.deepEqual(collect(enough), { query: 'cats', mode: 'exact', filter: { owner: 'me' } });
    assert.deepEqual(collect({ ...initialValues(form), ...enough }), {
      query: 'cats',
      limit: 10,
      mode: 'exact',
      filter: { owner: 'me' },
    });
  });

  test('carry every kind of value', () => {
    const values: FormValues = {
      ...enough,
      '/limit': ' 20 ',
      '/ratio': '0.3',
      '/deep': false,
      '/level': '1',
      '/tags': ['x', ''],
      '/kinds': ['1', '0'],
      '/options/note': 'n',
      '/options/retries': '3',
      '/anything': '{"free": [1]}',
    };
    assert.deepEqual(collect(values), {
      query: 'cats',
      limit: 20,
      ratio: 0.3,
      deep: false,
      mode: 'exact',
      level: 2,
      tags: ['x', ''],
      kinds: ['b', 'a'],
      filter: { owner: 'me' },
      options: { retries: 3, note: 'n' },
      anything: { free: [1] },
    });
  });

  test('are refused with a sentence for each field that is wrong', () => {
    const values: FormValues = {
      '/query': 'x',
      '/limit': '101',
      '/ratio': '0',
      '/mode': '7',
      '/tags': ['1', '2', '3', '4'],
      '/anything': 'free',
    };
    const errors = collectArguments(form, values);
    assert.equal(errors.kind, 'invalid');
    assert.deepEqual(
      Object.entries(errors.kind === 'invalid' ? errors.errors : {}).map(([id, text]) => `${id}: ${text.slice(0, 34)}`),
      [
        '/query: Enter at least 2 characters.',
        '/limit: Enter a number of at most 100.',
        '/ratio: Enter a number above 0.',
        '/mode: Choose a value: the tool needs one',
        '/tags: Give at most 3.',
        '/filter/owner: Enter a text: the tool needs one. ',
        '/anything: This is not JSON: Unexpected token',
      ],
    );
  });

  test('refuse what is no number, no whole number, and what JSON would round', () => {
    const numbers = schemaForm({ type: 'object', properties: { n: { type: 'integer' } } });
    const problems = ['?', 'Infinity', '1.5', '9007199254740993', '12'].map((entered) => {
      const collected = collectArguments(numbers, { '/n': entered });
      return collected.kind === 'invalid' ? collected.errors['/n'] : collected.args;
    });
    assert.deepEqual(problems, [
      'Enter a whole number.',
      'Enter a whole number.',
      'Enter a whole number.',
      'Enter a smaller number: this one would lose digits.',
      { n: 12 },
    ]);
  });

  test('say null where a value is needed, may be null, and was left empty', () => {
    const nullable = schemaForm({
      type: 'object',
      required: ['a'],
      properties: { a: { type: ['string', 'null'] }, b: { type: ['string', 'null'] } },
    });
    assert.deepEqual(collectArguments(nullable, {}), { kind: 'arguments', args: { a: null } });
  });
});

suite('showing JSON in the form', () => {
  const form = schemaForm(SEARCH);

  test('gives the same arguments back', () => {
    const args = { query: 'cats', mode: 'fast', filter: { owner: 'me', since: '2026-01-01' }, level: 1, tags: [] };
    const values = fillForm(form, args);
    assert.deepEqual(values, {
      '/query': 'cats',
      '/mode': '0',
      '/filter/owner': 'me',
      '/filter/since': '2026-01-01',
      '/level': '0',
      '/tags': [],
    });
    assert.deepEqual(collectArguments(form, values ?? {}), { kind: 'arguments', args });
  });

  test('keeps what is wrong or missing, for the form to point at', () => {
    assert.deepEqual(fillForm(form, { query: 'x', limit: 1_000 }), { '/query': 'x', '/limit': '1000' });
  });

  test('is refused where a part would be lost', () => {
    const losing: readonly JsonObject[] = [
      { unknown: 1 },
      { query: 5 },
      { mode: 'other' },
      { limit: null },
      { filter: { extra: true } },
      { options: {} },
      { options: { retries: 3 } },
      { tags: [1] },
    ];
    assert.deepEqual(
      losing.map((args) => fillForm(form, args)),
      losing.map(() => undefined),
    );
  });
});

suite('forms of any schema', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'enum',
    'const',
    'anyOf',
    'oneOf',
    'allOf',
    '$ref',
    'required',
    'default',
    'minimum',
    'maxLength',
    'title',
    'description',
    'examples',
    'additionalProperties',
    'multipleOf',
    'a',
    'b',
  );
  const word = fc.constantFrom(
    'string',
    'number',
    'integer',
    'boolean',
    'object',
    'array',
    'null',
    '#',
    '#/properties/a',
    'a',
    '',
  );
  const schemas = fc.letrec<{ schema: JsonObject; value: Json }>((tie) => ({
    schema: fc.dictionary(keyword, tie('value'), { maxKeys: 6 }),
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('schema'),
      fc.array(tie('value'), { maxLength: 4 }),
    ),
  })).schema;

  test('are made without failing, and their opening state either collects or says what is missing', () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const form = schemaForm(schema);
        const collected = collectArguments(form, initialValues(form));
        if (collected.kind === 'invalid')
          assert.ok(Object.values(collected.errors).every((text) => text.endsWith('.')));
      }),
      { numRuns: 500 },
    );
  });

  test('stay small however many fields refer to one large schema', () => {
    const keywords = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, {}]));
    const large = {
      wide: { type: 'string', ...keywords },
      choices: { enum: Array.from({ length: 300 }, (_, index) => `${index}${'x'.repeat(3_000)}`) },
      preset: { type: 'string', default: 'x'.repeat(900_000) },
    };
    const kinds = Object.keys(large).map((name) => {
      const members = Array.from({ length: 200 }, (_, index) => [`f${index}`, { $ref: `#/$defs/${name}` }]);
      const form = schemaForm({ type: 'object', $defs: large, properties: Object.fromEntries(members) });
      assert.ok(JSON.stringify(form).length < 4_000_000);
      const { kind, default: preset } = form.fields.at(-1) ?? {};
      return `${name}: ${kind} ${String(preset)}`;
    });
    // Omitted fields can still be entered as JSON.
    assert.deepEqual(kinds, ['wide: json undefined', 'choices: json undefined', 'preset: text undefined']);
  });

  test('lose no member of arguments that they show', () => {
    const values = fc.dictionary(
      fc.constantFrom('query', 'limit', 'deep', 'mode', 'tags', 'filter', 'anything'),
      fc.jsonValue({ maxDepth: 2 }),
    );
    fc.assert(
      fc.property(values, (given) => {
        const args: JsonObject = JSON.parse(JSON.stringify(given));
        const form = schemaForm(SEARCH);
        const shown = fillForm(form, args);
        if (shown === undefined) return;
        const back = collectArguments(form, shown);
        if (back.kind === 'arguments') assert.deepEqual({ ...back.args, ...args }, back.args);
      }),
      { numRuns: 500 },
    );
  });
});
