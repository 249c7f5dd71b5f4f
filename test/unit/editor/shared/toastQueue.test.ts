import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/index.ts';
import { ToastQueue } from '../../../../src/editor/shared/toastQueue.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

suite('The queue of notifications', () => {
  const clock = new FakeClock();
  let shown: string[];
  let open: Deferred<void>[];
  const show = (items: readonly string[], source: string): Promise<void> => {
    shown.push(`${source}: ${items.join(' ')}`);
    const closed = new Deferred<void>();
    open.push(closed);
    return closed.promise;
  };
  const current = (item: string): string | undefined => (item === 'outdated' ? undefined : item);
  setup(() => {
    [shown, open] = [[], []];
  });

  test('with a clock joins what waits, for each source on its own', async () => {
    const queue = new ToastQueue({ clock, current, show });
    for (const item of ['1', 'outdated', '2']) queue.add('a', item);
    queue.add('b', '3');
    queue.add('c', 'outdated');
    await clock.advance(300);
    queue.add('a', '4');
    queue.add('a', '5');
    assert.deepEqual(shown, ['a: 1 2', 'b: 3']);
    assert.deepEqual(queue.sources, ['a', 'b']);
    open[0]?.reject(new Error('No window'));
    await settle();
    await clock.advance(15_000);
    assert.deepEqual(shown.slice(2), ['a: 4 5']);
    queue.dispose();
    assert.equal(clock.waiting, 0);
  });

  test('does not take a late closing for that of a newer notification', async () => {
    const queue = new ToastQueue({ clock, current, show });
    queue.add('a', '1');
    await clock.advance(300);
    await clock.advance(15_000);
    assert.deepEqual(queue.sources, []);
    queue.add('a', '2');
    await clock.advance(300);
    queue.add('a', '3');
    open[0]?.resolve();
    await settle();
    assert.deepEqual(shown, ['a: 1', 'a: 2']);
    queue.dispose();
    open[1]?.resolve();
    await settle();
    assert.equal(clock.waiting, 0);
  });

  test('without a clock shows one item after the other, each until it ends', async () => {
    const queue = new ToastQueue({ current, show });
    for (const item of ['1', 'outdated', '2', '3']) queue.add('a', item);
    queue.add('b', 'outdated');
    open[0]?.resolve();
    await settle();
    queue.end((item) => item === '2');
    assert.deepEqual(shown, ['a: 1']);
    queue.end((item) => item === '1');
    queue.end((item) => item === '2');
    assert.deepEqual(shown, ['a: 1', 'a: 2', 'a: 3']);
    queue.end((item) => item === '3');
    assert.deepEqual(queue.sources, []);
  });
});
