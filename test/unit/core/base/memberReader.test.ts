import assert from 'node:assert/strict';
import { Malformed, MemberReader } from '../../../../src/core/base/memberReader.ts';

suite('A member reader', () => {
  const reader = new MemberReader({
    text: 'a',
    number: 1.5,
    count: 3,
    flag: false,
    list: ['a'],
    mixed: ['a', 1],
    no: null,
  });
  const problemOf = (read: () => unknown): string => {
    try {
      return `read ${JSON.stringify(read())}`;
    } catch (error) {
      assert.ok(error instanceof Malformed);
      return error.message;
    }
  };

  test('returns members of the expected type', () => {
    assert.deepEqual(
      [
        reader.text('text'),
        reader.number('number'),
        reader.count('count'),
        reader.flag('flag'),
        reader.textList('list'),
      ],
      ['a', 1.5, 3, false, ['a']],
    );
    assert.equal(reader.choice('text', ['b', 'a']), 'a');
    assert.equal(new MemberReader({ inner: { text: 'b' } }).members('inner')?.text('text'), 'b');
  });

  test('returns undefined for missing optional members only', () => {
    assert.deepEqual(
      [reader.optionalText('x'), reader.optionalNumber('x'), reader.optionalCount('x'), reader.optionalFlag('x')],
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual([reader.object('x'), reader.members('x'), reader.textMembers('x')], [undefined, undefined, {}]);
    assert.equal(
      problemOf(() => reader.optionalText('no')),
      '"no" must be a text.',
    );
  });

  test('names a missing or invalid member', () => {
    const problems = [
      () => reader.text('x'),
      () => reader.number('text'),
      () => reader.count('x'),
      () => reader.count('number'),
      () => reader.optionalCount('count', { least: 4, most: 9 }),
      () => reader.flag('no'),
      () => reader.choice('x', ['a', 'b']),
      () => reader.textList('mixed'),
      () => reader.members('list'),
      () => new MemberReader({ inner: { b: 1 } }).textMembers('inner'),
    ];
    assert.deepEqual(problems.map(problemOf), [
      '"x" must be a text.',
      '"text" must be a number.',
      '"x" is missing: a whole number.',
      '"number" must be a whole number from 0 on.',
      '"count" must be a whole number from 4 to 9.',
      '"no" must be true or false.',
      '"x" must be one of a, b.',
      '"mixed" must be a list of texts.',
      '"list" must be an object.',
      '"b" in "inner" must be a text.',
    ]);
  });
});
