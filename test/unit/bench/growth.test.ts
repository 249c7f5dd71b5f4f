import assert from 'node:assert/strict';
import { growthOf } from '../../bench/growth.ts';

suite('The growth of the cost per unit', () => {
  const SIZES = [10, 1_000, 10_000] as const;
  const growth = (costOf: (size: number) => number): number => {
    const [smallest, middle, largest] = SIZES.map((size) => ({ size, cost: costOf(size) }));
    assert.ok(smallest !== undefined && middle !== undefined && largest !== undefined);
    return Math.round(growthOf(smallest, middle, largest) * 100) / 100;
  };

  test('is 1 where the cost grows as the work does, whatever is paid in any case', () => {
    assert.deepEqual([growth((size) => size), growth((size) => 500 + size)], [1, 1]);
  });

  test('is 10 for quadratic growth, also after constant costs', () => {
    assert.deepEqual([growth((size) => size ** 2), growth((size) => 1_000_000 + size ** 2)], [9.91, 9.91]);
  });

  test('is less than 1 where the cost is the same for all', () => {
    assert.deepEqual(
      [growth(() => 7), growth((size) => Math.log2(size)), growth((size) => 100 - size / 1_000)],
      [0, 0.15, 0],
    );
  });

  test('ignores growth that cannot be distinguished from noise', () => {
    // Growth below a tenth of the constant cost is ignored. Ten times that for the largest size is reported.
    assert.equal(
      growth((size) => (size === 10_000 ? 110 : 100)),
      0.1,
    );
    assert.equal(
      growth((size) => (size === 10_000 ? 250 : 100)),
      1.49,
    );
    assert.equal(growth((size) => (size === 10_000 ? 400 : 100)) > 2, true);
  });
});
