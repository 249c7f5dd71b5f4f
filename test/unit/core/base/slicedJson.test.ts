import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Clock } from '../../../../src/core/base/clock.ts';
import { type Json, parseJson } from '../../../../src/core/base/json.ts';
import { slicedJson } from '../../../../src/core/base/slicedJson.ts';

/** Each read of the clock takes time, like work. */
class BusyClock implements Clock {
  waits = 0;
  readonly #step: number;
  #now = 0;

  constructor(step: number) {
    this.#step = step;
  }

  now(): number {
    return (this.#now += this.#step);
  }

  delay(ms: number, callback: () => void): { dispose(): void } {
    assert.equal(ms, 0);
    this.waits++;
    queueMicrotask(callback);
    return { dispose: () => undefined };
  }
}

const LARGE = 300_000;

const check = async (value: Json, step = 1): Promise<number> => {
  const clock = new BusyClock(step);
  const text = await slicedJson(value, clock);
  const expected = JSON.stringify(value);
  // Not `equal`, which would print a diff of megabytes.
  assert.ok(text === expected, `${text.slice(0, 100)} for ${expected.slice(0, 100)}`);
  return clock.waits;
};

const notes = (count: number): Json =>
  Array.from({ length: count }, (_, id) => ({ id, text: `Note "${id}"\n`, tags: ['a', 'b'], done: id % 2 === 0 }));

suite('JSON written in slices', () => {
  test('a small value is written at once', async () => {
    for (const value of [null, 0, '', 'text', [], {}, { a: [1, { b: null }] }, 'x'.repeat(1_000), notes(100)])
      assert.equal(await check(value, 100), 0);
  });

  test('a large value lets others have their turn', async () => {
    const waits = [
      await check(notes(20_000)),
      await check({ notes: notes(20_000), index: Object.fromEntries(Array.from({ length: LARGE }, (_, i) => [i, i])) }),
      await check(Array.from({ length: LARGE }, (_, i) => i)),
      await check('a"\u0007é'.repeat(LARGE)),
      await check(['x'.repeat(LARGE), { y: 'y'.repeat(LARGE) }, []]),
      await check(parseJson(`${'['.repeat(500)}"${'x'.repeat(LARGE)}"${']'.repeat(500)}`)),
    ];
    assert.ok(
      waits.every((count) => count > 0),
      waits.join(),
    );
  });

  test('pairs of surrogates stay together, and halves without the other are escaped, wherever the text is cut', async () => {
    for (const shift of ['', 'x']) {
      await check(shift + '😀'.repeat(LARGE), 3);
      await check(shift + '😀\uD83D'.repeat(LARGE), 3);
      await check(shift + '\uD83D'.repeat(LARGE), 3);
      await check(shift + '\uDE00\uD83D'.repeat(LARGE), 3);
    }
  });

  test('members that JSON does not have are left out, and a member __proto__ is one', async () => {
    const large = 'x'.repeat(LARGE);
    await check({ a: undefined, b: large, c: undefined, d: 1 });
    await check({ a: undefined, b: { c: undefined, d: large } });
    await check(parseJson(`{"__proto__":{"a":"${large}"},"constructor":[1e999,-0]}`));
  });

  test('any value becomes the text that JSON.stringify makes, however long the pieces take', async () => {
    const repeated = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 1, max: 400 }), fc.boolean());
    const value = repeated.map(([item, count, asList]) => {
      const items = Array.from({ length: count }, () => item as Json);
      return asList ? items : Object.fromEntries(items.map((one, index) => [`k${index}`, one]));
    });
    const large = fc.record({
      value,
      text: fc.string({ unit: 'binary', maxLength: 200 }),
      step: fc.integer({ min: 0, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(large, async ({ value: items, text, step }) => {
        await check({ items, [text]: [text.repeat(2_000), 'x'.repeat(LARGE)], last: items }, step);
      }),
      { numRuns: 60 },
    );
  });
});
