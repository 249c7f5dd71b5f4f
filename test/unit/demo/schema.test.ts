import assert from 'node:assert/strict';
import { problemsOf, type Schema, withDefaults } from '../../../src/demo/schema.ts';

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 5 },
    kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    ratio: { type: 'number' },
    loud: { type: 'boolean', default: false },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    when: { type: 'object', properties: { date: { type: 'string', format: 'date' } }, required: ['date'] },
  },
  required: ['title'],
  additionalProperties: false,
};

suite('Arguments of a demo tool', () => {
  test('that fit have no problems, optional members left out or not', () => {
    assert.deepEqual(problemsOf({ title: 'x' }, SCHEMA, ''), []);
    const whole = {
      title: 'x',
      kind: 'b',
      count: 9,
      ratio: 0.5,
      loud: true,
      tags: ['t'],
      when: { date: '2024-02-29' },
    };
    assert.deepEqual(problemsOf(whole, SCHEMA, ''), []);
  });

  test('that do not fit are reported one by one, by the path of the member', () => {
    const wrong = {
      kind: 'c',
      count: 10,
      ratio: 'much',
      loud: 1,
      tags: ['a', 2],
      when: { date: '2026-02-30' },
      constructor: 1,
    };
    assert.deepEqual(problemsOf(wrong, SCHEMA, ''), [
      'title is missing.',
      'kind must be one of "a", "b".',
      'count must be at most 9.',
      'ratio must be a number.',
      'loud must be true or false.',
      'tags[1] must be a string.',
      'when.date must be a date such as 2026-01-31.',
      'constructor is not known.',
    ]);
  });

  for (const [value, expected] of [
    [{ title: '' }, 'title must not be empty.'],
    [{ title: 'too long' }, 'title must have at most 5 characters.'],
    [{ title: 'x', count: 0 }, 'count must be at least 1.'],
    [{ title: 'x', count: 1.5 }, 'count must be a whole number.'],
    [{ title: 'x', tags: ['a', 'b', 'c'] }, 'tags must have at most 2 items.'],
    [{ title: 'x', tags: 'a' }, 'tags must be an array.'],
    [{ title: 'x', when: {} }, 'when.date is missing.'],
    [{ title: 'x', when: { date: 'soon' } }, 'when.date must be a date such as 2026-01-31.'],
  ] as const)
    test(`${JSON.stringify(value)}: ${expected}`, () => {
      assert.deepEqual(problemsOf(value, SCHEMA, ''), [expected]);
    });

  test('get the defaults of what is absent', () => {
    assert.deepEqual(withDefaults({ title: 'x', loud: true }, SCHEMA), { title: 'x', loud: true, kind: 'a' });
  });
});
