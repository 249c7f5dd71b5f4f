import assert from 'node:assert/strict';
import fc from 'fast-check';
import { KeyedRateLimit } from '../../../../src/core/base/rateLimit.ts';

suite('Rate limit', () => {
  test('each key has its own limit in a minute, and a refused one learns how long to wait', () => {
    const rate = new KeyedRateLimit(60_000);
    const taken = [0, 10, 20, 30].map((now) => rate.take('a', 3, now));
    assert.deepEqual(taken, [0, 0, 0, 59_970]);
    assert.equal(rate.take('b', 3, 30), 0);
    assert.deepEqual([rate.take('a', 3, 59_999), rate.take('a', 3, 60_000), rate.take('a', 3, 60_000)], [1, 0, 10]);
  });

  test('asking for the wait counts nothing', () => {
    const rate = new KeyedRateLimit(60_000);
    assert.deepEqual([rate.wait('a', 1, 0), rate.wait('a', 1, 0), rate.take('a', 1, 0)], [0, 0, 0]);
    assert.equal(rate.wait('a', 1, 1), 59_999);
  });

  test('a limit of 0 allows nothing', () => {
    assert.equal(new KeyedRateLimit(60_000).take('a', 0, 5), 60_000);
  });

  test('earlier ones still count when the limit changes', () => {
    const rate = new KeyedRateLimit(60_000);
    for (let now = 0; now < 5; now++) rate.take('a', 5, now);
    assert.equal(rate.wait('a', 2, 10), 59_993);
    assert.deepEqual([rate.take('a', 4, 10), rate.take('a', 4, 10), rate.take('a', 4, 10)], [0, 0, 59_993]);
  });

  test('a clock that is set back blocks nothing', () => {
    const rate = new KeyedRateLimit(60_000);
    rate.take('a', 1, 10_000_000);
    assert.equal(rate.take('a', 1, 1_000), 0);
  });

  test('no minute has more than the limit, and none is refused without need', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), steps, (most, gaps) => {
        const rate = new KeyedRateLimit(60_000);
        const passed: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const inMinute = passed.filter((time) => now - time < 60_000);
          const wait = rate.take('a', most, now);
          assert.equal(wait === 0, inMinute.length < most);
          if (wait === 0) passed.push(now);
          else assert.equal(now + wait, inMinute[0]! + 60_000);
        }
      }),
      { numRuns: 50 },
    );
  });
});
