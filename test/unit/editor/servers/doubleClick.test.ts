import assert from 'node:assert/strict';
import { DOUBLE_CLICK_MS, DoubleClicks } from '../../../../src/editor/servers/doubleClick.ts';

/** Whether each click, at these times in milliseconds, belongs to the click before. */
function second(...clicks: readonly (readonly [at: number, server: string])[]): readonly boolean[] {
  let now = 0;
  const all = new DoubleClicks({ now: () => now });
  return clicks.map(([at, server]) => {
    now = at;
    return all.isSecond(server);
  });
}

suite('A click on the button of a row', () => {
  test('is the second half of a double-click within the double-click time, and a new click after it', () => {
    assert.deepEqual(second([1_000, 'a'], [1_080, 'a']), [false, true]);
    assert.deepEqual(second([1_000, 'a'], [1_000 + DOUBLE_CLICK_MS, 'a']), [false, false]);
  });

  test('belongs to the click before in a series of fast clicks', () => {
    assert.deepEqual(second([0, 'a'], [300, 'a'], [600, 'a'], [1_200, 'a']), [false, true, true, false]);
  });

  test('on another row is a click of its own', () => {
    assert.deepEqual(second([0, 'a'], [80, 'b'], [160, 'a']), [false, false, true]);
  });

  test('is a new click if the clock was set back', () => {
    assert.deepEqual(second([5_000, 'a'], [1_000, 'a'], [1_100, 'a']), [false, false, true]);
  });
});
