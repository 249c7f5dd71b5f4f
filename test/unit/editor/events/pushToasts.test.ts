import assert from 'node:assert/strict';
import { Deferred, type InboundEvent } from '../../../../src/core/index.ts';
import { PushToasts } from '../../../../src/editor/events/pushToasts.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { inbound, text } from './inboundEvents.ts';

suite('Notifications of events', () => {
  let clock: FakeClock;
  let shown: string[];
  let open: Deferred<void>[];
  let known: Map<string, InboundEvent>;
  let toasts: PushToasts;

  setup(() => {
    clock = new FakeClock();
    [shown, open, known] = [[], [], new Map()];
    toasts = new PushToasts({
      clock,
      find: (id) => known.get(id),
      show: (toast) => {
        shown.push(`${toast.text} [${toast.events.length}]`);
        const closed = new Deferred<void>();
        open.push(closed);
        return closed.promise;
      },
    });
  });
  teardown(() => {
    toasts.dispose();
    assert.equal(clock.waiting, 0);
  });

  const arrive = (...events: readonly InboundEvent[]): void => {
    for (const event of events) known.set(event.id, event);
    toasts.arrived(events);
  };
  const close = async (): Promise<void> => {
    open.shift()?.resolve();
    await settle();
  };

  test('say who it is and what it says, and a burst is one', async () => {
    arrive(inbound('1'));
    await clock.advance(300);
    arrive(...Array.from({ length: 12 }, (_, i) => inbound(`m${i}`, { server: 'mail' })));
    await clock.advance(300);
    assert.deepEqual(shown, ['memory: You mentioned following up with Alice today [1]', 'mail: 12 events [12]']);
  });

  test('are one of a server at a time: what comes meanwhile is the next, when the first is closed', async () => {
    arrive(inbound('1'));
    await clock.advance(300);
    arrive(inbound('2'));
    await clock.advance(5_000);
    arrive(inbound('3'), inbound('4'));
    await clock.advance(5_000);
    assert.equal(shown.length, 1);
    await close();
    assert.deepEqual(shown.slice(1), ['memory: 3 events [3]']);
    await close();
    assert.equal(clock.waiting, 0);
    arrive(inbound('5', { content: [text('Again')] }));
    await clock.advance(300);
    assert.deepEqual(shown.slice(2), ['memory: Again [1]']);
  });

  test('do not wait for one that hid itself untouched', async () => {
    arrive(inbound('1'));
    await clock.advance(300);
    arrive(inbound('2'));
    await clock.advance(14_000);
    assert.equal(shown.length, 1);
    await clock.advance(1_000);
    assert.equal(shown.length, 2);
    // Closing the first one does not affect the second.
    arrive(inbound('3'));
    await close();
    assert.equal(shown.length, 2);
    await close();
    assert.equal(shown.length, 3);
  });

  test('leave out what was read or removed before', async () => {
    arrive(inbound('1'), inbound('2'), inbound('3', { content: [text('Third')] }));
    known.set('1', inbound('1', { isRead: true }));
    known.delete('2');
    await clock.advance(300);
    assert.deepEqual(shown, ['memory: Third [1]']);
    arrive(inbound('4'));
    known.delete('4');
    await close();
    assert.deepEqual([shown.length, clock.waiting], [1, 0]);
  });

  test('hold nothing that the editor would make a link of, nor lines, nor what deceives', async () => {
    const evil = '[Update](command:evil) now\nor \u202Elater\u0000';
    arrive(inbound('1', { server: '[a](command:b)', content: [text(evil)] }));
    await clock.advance(300);
    assert.deepEqual(shown, ['[a] (command:b): [Update] (command:evil) now or later [1]']);
  });

  test('go on after one that could not be shown', async () => {
    arrive(inbound('1'));
    await clock.advance(300);
    open.shift()?.reject(new Error('no window'));
    await settle();
    arrive(inbound('2'));
    await clock.advance(300);
    assert.equal(shown.length, 2);
  });
});
