import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/core/base/event.ts';
import { watchDisposables } from '../../../support/leaks.ts';

suite('An emitter', () => {
  test('calls every listener in the order of subscription, and one function twice if it subscribed twice', () => {
    const emitter = new Emitter<string>();
    const heard: string[] = [];
    const listener = (value: string): void => void heard.push(`a ${value}`);
    const first = emitter.event(listener);
    emitter.event((value) => heard.push(`b ${value}`));
    emitter.event(listener);
    emitter.fire('1');
    first.dispose();
    emitter.fire('2');
    emitter.dispose();
    assert.deepEqual(heard, ['a 1', 'b 1', 'a 1', 'b 2', 'a 2']);
  });

  test('keeps telling the others when one throws, and reports the error', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const heard: number[] = [];
    const failure = new Error('deaf');
    emitter.event(() => {
      throw failure;
    });
    emitter.event((value) => heard.push(value));
    emitter.fire(7);
    emitter.dispose();
    assert.deepEqual({ heard, errors }, { heard: [7], errors: [failure] });
  });

  test('does not call a listener that an earlier one has disposed', () => {
    const emitter = new Emitter<void>();
    const heard: string[] = [];
    emitter.event(() => {
      heard.push('first');
      second.dispose();
    });
    const second = emitter.event(() => heard.push('second'));
    emitter.fire();
    emitter.dispose();
    assert.deepEqual(heard, ['first']);
  });

  test('does not call a listener that subscribed while the event fired', () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    emitter.event((value) => {
      heard.push(`outer ${value}`);
      if (value === 1) emitter.event((later) => heard.push(`inner ${later}`));
    });
    emitter.fire(1);
    emitter.fire(2);
    emitter.dispose();
    assert.deepEqual(heard, ['outer 1', 'outer 2', 'inner 2']);
  });

  test('knows whether it has listeners', () => {
    const emitter = new Emitter<void>();
    const seen = [emitter.hasListeners];
    const subscription = emitter.event(() => undefined);
    seen.push(emitter.hasListeners);
    subscription.dispose();
    seen.push(emitter.hasListeners);
    assert.deepEqual(seen, [false, true, false]);
  });

  test('ends its subscriptions with itself and takes no new ones', () => {
    const watch = watchDisposables();
    const emitter = new Emitter<void>();
    let heard = 0;
    emitter.event(() => heard++);
    emitter.dispose();
    const alive = watch.end();
    const late = emitter.event(() => heard++);
    emitter.fire();
    late.dispose();
    assert.deepEqual({ heard, listens: emitter.hasListeners, alive }, { heard: 0, listens: false, alive: [] });
  });
});
