import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Deferred, ignoreFailure, KeyedQueue } from '../../../../src/core/base/async.ts';

/** Lets all promises settle that need no outside event. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

suite('A deferred promise', () => {
  test('keeps its first settlement', async () => {
    const deferred = new Deferred<string>();
    deferred.resolve('first');
    deferred.resolve('second');
    deferred.reject(new Error('third'));
    assert.equal(await deferred.promise, 'first');
  });

  test('rejects from outside', async () => {
    const deferred = new Deferred<string>();
    deferred.reject(new Error('no'));
    await assert.rejects(deferred.promise, /^Error: no$/);
  });

  test('can fail without an unhandled rejection if another caller handles it', async () => {
    const unheard: unknown[] = [];
    const listener = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', listener);
    ignoreFailure(Promise.reject(new Error('handled elsewhere')));
    await settle();
    process.off('unhandledRejection', listener);
    assert.deepEqual(unheard, []);
  });
});

suite('A keyed queue', () => {
  test('runs tasks of one key one after the other, those of another beside them', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const gates = new Map(['a1', 'a2', 'b1'].map((name) => [name, new Deferred<void>()]));
    const task = (key: string, name: string): Promise<string> =>
      queue.run(key, async () => {
        log.push(`${name} begins`);
        await gates.get(name)?.promise;
        log.push(`${name} ends`);
        return name;
      });
    const all = Promise.all([task('a', 'a1'), task('a', 'a2'), task('b', 'b1')]);
    await settle();
    const atFirst = [...log];
    for (const name of ['b1', 'a2', 'a1']) gates.get(name)?.resolve();
    assert.deepEqual(await all, ['a1', 'a2', 'b1']);
    assert.deepEqual(atFirst, ['a1 begins', 'b1 begins']);
    assert.deepEqual(
      log.filter((line) => line.startsWith('a')),
      ['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends'],
    );
  });

  test('continues after a failed task, whose caller alone gets the failure', async () => {
    const queue = new KeyedQueue();
    const failed = queue.run('a', () => Promise.reject(new Error('broken')));
    const next = queue.run('a', () => Promise.resolve('fine'));
    await assert.rejects(failed, /^Error: broken$/);
    assert.equal(await next, 'fine');
  });

  test('turns what a task throws at once into a rejection', async () => {
    const queue = new KeyedQueue();
    const thrown = queue.run('a', () => {
      throw new Error('at once');
    });
    await assert.rejects(thrown, /^Error: at once$/);
  });

  test('never runs two tasks of a key at the same time and keeps their order, whatever the tasks do', async () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(3), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const queue = new KeyedQueue();
        const running = new Set<string>();
        const order = new Map<string, number[]>();
        const runs = steps.map(({ key, turns, fails }, index) =>
          queue.run(key, async () => {
            assert.equal(running.has(key), false);
            running.add(key);
            for (let turn = 0; turn < turns; turn++) await Promise.resolve();
            running.delete(key);
            order.set(key, [...(order.get(key) ?? []), index]);
            if (fails) throw new Error('expected');
          }),
        );
        const outcomes = await Promise.allSettled(runs);
        assert.deepEqual(
          outcomes.map((outcome) => outcome.status === 'rejected'),
          steps.map(({ fails }) => fails),
        );
        for (const indexes of order.values())
          assert.deepEqual(
            indexes,
            [...indexes].sort((a, b) => a - b),
          );
      }),
      { numRuns: 60 },
    );
  });
});
