import assert from 'node:assert/strict';
import {
  type Disposable,
  DisposableStore,
  disposeAll,
  toDisposable,
  trackDisposables,
} from '../../../../src/core/base/disposable.ts';
import { watchDisposables } from '../../../support/leaks.ts';

suite('Disposables', () => {
  test('release once, however often they are disposed', () => {
    let released = 0;
    const disposable = toDisposable(() => released++);
    disposable.dispose();
    disposable.dispose();
    assert.equal(released, 1);
  });

  test('release once even when the release disposes again', () => {
    let released = 0;
    const disposable: Disposable = toDisposable(() => {
      released++;
      disposable.dispose();
    });
    disposable.dispose();
    assert.equal(released, 1);
  });

  test('of a store end in the reverse order of their making', () => {
    const ended: string[] = [];
    const store = new DisposableStore();
    for (const name of ['first', 'second', 'third']) store.add(toDisposable(() => ended.push(name)));
    store.dispose();
    store.dispose();
    assert.deepEqual(
      { ended, isDisposed: store.isDisposed },
      { ended: ['third', 'second', 'first'], isDisposed: true },
    );
  });

  test('added to a store that has ended end at once', () => {
    const store = new DisposableStore();
    store.dispose();
    let ended = false;
    const item = toDisposable(() => (ended = true));
    assert.equal(store.add(item), item);
    assert.equal(ended, true);
  });

  test('can be released early, and only what the store owns', () => {
    const ended: string[] = [];
    const store = new DisposableStore();
    const owned = store.add(toDisposable(() => ended.push('owned')));
    const foreign = toDisposable(() => ended.push('foreign'));
    store.release(owned);
    store.release(foreign);
    store.dispose();
    assert.deepEqual(ended, ['owned']);
    foreign.dispose();
  });

  test('all end although one throws, and the first error is thrown', () => {
    const ended: string[] = [];
    const failing = (name: string): Disposable => ({
      dispose: () => {
        ended.push(name);
        throw new Error(name);
      },
    });
    assert.throws(() => disposeAll([failing('a'), toDisposable(() => ended.push('b')), failing('c')]), /^Error: a$/);
    assert.deepEqual(ended, ['a', 'b', 'c']);
  });

  test('of a store are let go although one throws', () => {
    const store = new DisposableStore();
    let tries = 0;
    const failing = {
      dispose: () => {
        tries++;
        throw new Error('stuck');
      },
    };
    store.add(failing);
    assert.throws(() => store.dispose(), /stuck/);
    store.release(failing);
    assert.equal(tries, 1);
  });
});

suite('A leak check', () => {
  test('names what is alive and forgets what has ended', () => {
    const watch = watchDisposables();
    const kept = toDisposable(() => undefined);
    toDisposable(() => undefined).dispose();
    const store = new DisposableStore();
    store.add(kept);
    const alive = watch.end();
    assert.equal(alive.length, 2);
    assert.match(alive[0] ?? '', /disposable\.test\.ts/);
    store.dispose();
  });

  test('inside another hides nothing from the outer one', () => {
    const seen: string[] = [];
    const tracker = (name: string): Parameters<typeof trackDisposables>[0] => ({
      created: () => seen.push(`${name} created`),
      disposed: () => seen.push(`${name} disposed`),
    });
    const outer = trackDisposables(tracker('outer'));
    const older = toDisposable(() => undefined);
    const inner = trackDisposables(tracker('inner'));
    older.dispose();
    const newer = toDisposable(() => undefined);
    inner.dispose();
    newer.dispose();
    outer.dispose();
    toDisposable(() => undefined).dispose();
    assert.deepEqual(seen, [
      'outer created',
      'outer disposed',
      'inner disposed',
      'outer created',
      'inner created',
      'outer disposed',
    ]);
  });
});
