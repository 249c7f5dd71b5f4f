import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatProblem } from '../../../../src/editor/shared/formatProblem.ts';

type Format = NonNullable<Parameters<typeof formatProblem>[0]>;

const GOOD: { readonly [F in Format]: readonly string[] } = {
  email: ['a@b', 'ada.l+x@example.com'],
  uri: ['https://example.com/a?b#c', 'mailto:ada@example.com', 'urn:isbn:1'],
  date: ['2026-03-31', '2024-02-29'],
  time: ['00:00:00Z', '23:59:60z', '12:00:00.25+02:00'],
  'date-time': ['2026-03-31T13:45:00Z', '2026-03-31t13:45:00.1-23:59'],
  uuid: ['123e4567-e89b-12d3-a456-426614174000', '00000000-0000-0000-0000-000000000000'],
  password: ['x', ' '],
};
const BAD: { readonly [F in Format]: readonly string[] } = {
  email: ['a', 'a@', '@b', 'a b@c', 'a@b@c'],
  uri: ['example.com', '/a', 'https://', 'https://a b', '1a:b'],
  date: ['2026-04-31', '2023-02-29', '2026-13-01', '2026-00-10', '26-01-01', '2026-1-1', '2026-01-01 '],
  time: ['24:00:00Z', '12:60:00Z', '12:00:00', '12:00Z', '12:00:00+25:00'],
  'date-time': ['2026-03-31', '2026-03-31T13:45:00', '2026-02-30T00:00:00Z', 'T13:45:00Z'],
  uuid: ['123e4567', '123e4567e89b12d3a456426614174000', 'g23e4567-e89b-12d3-a456-426614174000'],
  password: [],
};
const FORMATS = ['email', 'uri', 'date', 'time', 'date-time', 'uuid', 'password'] as const;

suite('The format of a text', () => {
  for (const format of FORMATS)
    test(`${format} is recognized, and the message for others has a valid example`, () => {
      const judged = (texts: readonly string[]): readonly string[] =>
        texts.map((text) => `${text}: ${formatProblem(format, text) ?? 'good'}`);
      const remedies = new Set(BAD[format].map((text) => formatProblem(format, text)));
      assert.deepEqual(
        judged(GOOD[format]),
        GOOD[format].map((text) => `${text}: good`),
      );
      assert.deepEqual([remedies.has(undefined), remedies.size], [false, BAD[format].length === 0 ? 0 : 1]);
      // The example in the message is valid.
      const [, example] = /: (.+)\.$/.exec([...remedies][0] ?? '') ?? [];
      if (example !== undefined && !example.includes('…')) assert.equal(formatProblem(format, example), undefined);
    });

  test('is not checked for empty texts, or without a format', () => {
    assert.deepEqual(
      [...FORMATS.map((format) => formatProblem(format, '')), formatProblem(undefined, 'x')],
      Array(8).fill(undefined),
    );
  });

  test('of a moment of any calendar is good as the language itself writes it', () => {
    const years = { min: new Date('0100-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(years), (date) => {
        const text = date.toISOString();
        assert.equal(formatProblem('date-time', text), undefined);
        assert.equal(formatProblem('date', text.slice(0, 10)), undefined);
      }),
    );
  });
});
