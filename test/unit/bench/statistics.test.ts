import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { seededRandom, shuffled } from '../../bench/schedule.ts';
import { median, pairedRatios, percentile, spread } from '../../bench/statistics.ts';

const figures = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });

suite('statistics of the benchmark', () => {
  test('the median is the middle value, or between the two in the middle', () => {
    assert.deepEqual([median([3]), median([10, 1, 2]), median([4, 1, 3, 2])], [3, 2, 2.5]);
  });

  test('a percentile is a value that was measured, and the last one at the most', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    assert.deepEqual(
      [0, 0.5, 0.99, 0.999, 1].map((share) => percentile(hundred, share)),
      [1, 50, 99, 100, 100],
    );
  });

  test('nothing measured is no figure', () => {
    assert.deepEqual([median([]), percentile([], 0.5)], [Number.NaN, Number.NaN]);
  });

  test('a figure that is missing among others is not passed over', () => {
    assert.deepEqual(
      [
        [Number.NaN, 1, 2],
        [1, 2, Number.NaN, 4],
      ].map(median),
      [Number.NaN, Number.NaN],
    );
  });

  test('half of the values are on either side of the median, and all within the spread', () => {
    fc.assert(
      fc.property(figures, (values) => {
        const { median: middle, min, max } = spread(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        return below <= values.length / 2 && above <= values.length / 2 && min <= middle && middle <= max;
      }),
    );
  });

  test('ratios pair what was measured in the same repetition', () => {
    // The machine was ten times slower in the second pair, which does not affect the ratio.
    assert.deepEqual(pairedRatios([1, 10, 3], [2, 20, 4]), [0.5, 0.5, 0.75]);
  });

  test('lists of different lengths cannot be paired', () => {
    assert.throws(() => pairedRatios([1], [1, 2]), /1 values cannot be paired with 2/);
  });
});

suite('order of the benchmark', () => {
  test('the same seed gives the same order, another seed another one', () => {
    const order = (seed: number): string => {
      const random = seededRandom(seed);
      return Array.from({ length: 6 }, () => shuffled(['a', 'b', 'c', 'd'], random).join('')).join(' ');
    };
    assert.equal(order(7), order(7));
    assert.notEqual(order(7), order(8));
  });

  test('shuffling keeps what it shuffles, and leaves the list alone', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
        const before = [...items];
        const result = shuffled(items, seededRandom(seed));
        assert.deepEqual(items, before);
        assert.deepEqual([...result].sort(), [...items].sort());
      }),
    );
  });

  test('every order comes up about as often as any other', () => {
    const random = seededRandom(1);
    const counts = new Map<string, number>();
    for (let round = 0; round < 6_000; round++) {
      const order = shuffled(['a', 'b', 'c'], random).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    assert.equal(counts.size, 6);
    for (const count of counts.values()) assert.ok(count > 850 && count < 1_150, `${count} of 6000`);
  });
});
