import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { Semaphore } from '../../../../src/core/base/semaphore.ts';

suite('Semaphore', () => {
  test('at most sixteen tasks run at once, and each that ends starts the next', async () => {
    const semaphore = new Semaphore(16, 1_000);
    const tasks = Array.from({ length: 40 }, () => new Deferred<void>());
    let begun = 0;
    const all = tasks.map(({ promise }) =>
      semaphore.run(() => {
        begun++;
        return promise;
      }),
    );
    assert.equal(begun, 16);
    tasks[0]?.resolve();
    tasks[1]?.reject(new Error('not taken'));
    await Promise.allSettled(all.slice(0, 2));
    assert.equal(begun, 18);
    for (const task of tasks) task.resolve();
    await Promise.allSettled(all);
    assert.deepEqual([begun, semaphore.isFull], [40, false]);
  });

  test('is full when a thousand wait', () => {
    const semaphore = new Semaphore(16, 1_000);
    for (let i = 0; i < 16 + 1_000; i++) void semaphore.run(() => new Promise(() => undefined));
    assert.ok(semaphore.isFull);
  });
});
