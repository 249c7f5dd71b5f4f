import assert from 'node:assert/strict';
import { carryOutAll } from '../../bench/carryOut.ts';
import type { Measure } from '../../bench/measure.ts';

const measure = (id: string, repeat: Measure['repeat']): Measure => ({
  id,
  title: id,
  variants: ['a', 'b', 'c'],
  metrics: [{ key: 'ms', title: 'ms' }],
  compared: [],
  targets: [],
  repetitions: 6,
  repeat,
});

/** Suppresses output. */
const inSilence = async <T>(work: () => Promise<T>): Promise<T> => {
  const { write } = process.stdout;
  process.stdout.write = () => true;
  try {
    return await work();
  } finally {
    process.stdout.write = write;
  }
};

suite('measures that are carried out', () => {
  test('have every variant in each repetition, in another order, and keep what belongs together', async () => {
    const orders: string[] = [];
    const counting = measure('counting', async (order) => {
      orders.push(order.join(''));
      return Object.fromEntries(order.map((variant) => [variant, { ms: orders.length }]));
    });
    const { results } = await inSilence(() => carryOutAll([counting], 1));
    const inTurn = [1, 2, 3, 4, 5, 6].map((ms) => ({ ms }));
    assert.deepEqual(results[0]?.samples, { a: inTurn, b: inTurn, c: inTurn });
    assert.deepEqual(
      orders.map((order) => [...order].sort().join('')),
      Array(6).fill('abc'),
    );
    assert.ok(new Set(orders).size > 1);
  });

  test('one that cannot be carried out costs only its own figures', async () => {
    const good = measure('good', async () => ({ a: { ms: 1 }, b: { ms: 2 }, c: { ms: 3 } }));
    const bad = measure('bad', () => Promise.reject(new Error('It hangs.')));
    const { results, failed } = await inSilence(() => carryOutAll([bad, good], 1));
    assert.deepEqual([results.map((result) => result.measure.id), failed], [['good'], 1]);
  });
});
