import assert from 'node:assert/strict';
import { CancellationSource, NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import { watchDisposables } from '../../../support/leaks.ts';

suite('Cancellation', () => {
  test('is reported once, with its first reason', () => {
    const source = new CancellationSource();
    const heard: unknown[] = [];
    source.token.onCancellationRequested((reason) => heard.push(reason));
    const before = [source.isCancelled, source.token.isCancellationRequested];
    source.cancel('no longer needed');
    source.cancel('again');
    assert.deepEqual(
      { before, after: [source.isCancelled, source.token.isCancellationRequested], heard },
      { before: [false, false], after: [true, true], heard: ['no longer needed'] },
    );
  });

  test('is reported at once to late listeners', () => {
    const source = new CancellationSource();
    source.cancel('gone');
    source.cancel('again');
    const heard: unknown[] = [];
    source.token.onCancellationRequested((reason) => heard.push(reason)).dispose();
    assert.deepEqual(heard, ['gone']);
  });

  test('reaches every listener although one throws', () => {
    const source = new CancellationSource();
    let heard = 0;
    source.token.onCancellationRequested(() => {
      throw new Error('deaf');
    });
    source.token.onCancellationRequested(() => heard++);
    source.cancel();
    assert.equal(heard, 1);
  });

  test('is already visible to listeners when they are called', () => {
    const source = new CancellationSource();
    const seen: boolean[] = [];
    source.token.onCancellationRequested(() => seen.push(source.token.isCancellationRequested));
    source.cancel();
    assert.deepEqual(seen, [true]);
  });

  test('leaves nothing behind: neither after cancelling nor after disposing', () => {
    const watch = watchDisposables();
    const [cancelled, disposed] = [new CancellationSource(), new CancellationSource()];
    for (const source of [cancelled, disposed]) source.token.onCancellationRequested(() => undefined);
    cancelled.cancel();
    disposed.dispose();
    assert.deepEqual(watch.end(), []);
  });

  test('never comes from the token of those who cannot be cancelled', () => {
    let heard = 0;
    NO_CANCELLATION.onCancellationRequested(() => heard++).dispose();
    assert.deepEqual([NO_CANCELLATION.isCancellationRequested, heard], [false, 0]);
  });
});
