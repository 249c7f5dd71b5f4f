import assert from 'node:assert/strict';
import { lazy } from '../../../../src/core/base/lazy.ts';

suite('lazy', () => {
  test('makes the value on first use only, also if it is undefined', () => {
    const made: string[] = [];
    const value = lazy(() => {
      made.push('made');
      return undefined;
    });
    const before = [...made];
    assert.deepEqual([before, value(), value(), made], [[], undefined, undefined, ['made']]);
  });

  test('tries again if making the value failed', () => {
    let tries = 0;
    const value = lazy(() => {
      if (++tries === 1) throw new Error('not yet');
      return tries;
    });
    assert.throws(value, /not yet/);
    assert.equal(value(), 2);
  });
});
