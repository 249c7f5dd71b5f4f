import assert from 'node:assert/strict';
import { asyncLazy, lazy } from '../../../../src/core/base/lazy.ts';

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

suite('asyncLazy', () => {
  test('loads once for all callers and keeps the value', async () => {
    const loads: string[] = [];
    const value = asyncLazy(
      async () => loads.push('load'),
      (count) => `value ${count}`,
    );
    assert.deepEqual([value.isStarted, value.value, loads], [false, undefined, []]);
    const both = [value.get(), value.get()];
    assert.deepEqual([value.isStarted, value.value], [true, undefined]);
    assert.deepEqual(await Promise.all(both), ['value 1', 'value 1']);
    assert.deepEqual([await value.get(), value.value, loads], ['value 1', 'value 1', ['load']]);
  });

  test('has the value in the same moment in which it is made', async () => {
    const seen: unknown[] = [];
    const value = asyncLazy(
      async () => 'loaded',
      (loaded) => {
        queueMicrotask(() => seen.push(value.value));
        return loaded;
      },
    );
    await value.get();
    assert.deepEqual(seen, ['loaded']);
  });

  test('gives a failure to all who wait and loads again for the next caller', async () => {
    let tries = 0;
    const value = asyncLazy(
      async () => {
        if (++tries === 1) throw new Error('not yet');
        return tries;
      },
      (count) => count,
    );
    const failed = await Promise.allSettled([value.get(), value.get()]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual([value.isStarted, value.value, await value.get(), value.value], [false, undefined, 2, 2]);
  });

  test('loads again after a load or a maker that throws at once', async () => {
    let tries = 0;
    const value = asyncLazy(
      () => {
        if (++tries === 1) throw new Error('no module');
        return Promise.resolve(tries);
      },
      (count) => {
        if (count === 2) throw new Error('no value');
        return count;
      },
    );
    await assert.rejects(value.get(), /no module/);
    await assert.rejects(value.get(), /no value/);
    assert.deepEqual([value.value, await value.get()], [undefined, 3]);
  });
});
