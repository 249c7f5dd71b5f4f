import assert from 'node:assert/strict';
import { plural, pluralWord } from '../../../../src/core/base/plural.ts';

suite('A count in a sentence', () => {
  test('takes the plural for every number but 1', () => {
    assert.deepEqual(
      [0, 1, 2, 1_000].map((count) => plural(count, 'unread event')),
      ['0 unread events', '1 unread event', '2 unread events', '1000 unread events'],
    );
  });

  test('may have a plural of its own, and stand without the number', () => {
    assert.equal(plural(2, 'request waits', 'requests wait'), '2 requests wait');
    assert.deepEqual([pluralWord(1, 'remark'), pluralWord(3, 'remark')], ['remark', 'remarks']);
  });
});
