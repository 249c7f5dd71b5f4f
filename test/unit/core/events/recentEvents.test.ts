import assert from 'node:assert/strict';
import { RecentEvents } from '../../../../src/core/events/eventInbox.ts';
import type { InboundEvent } from '../../../../src/core/model/inboundEvent.ts';
import { inboundEvent } from '../../../support/storedRecords.ts';

suite('The newest events', () => {
  const older = (count: number): readonly InboundEvent[] =>
    Array.from({ length: count }, (_, i) => ({ ...inboundEvent(`old-${i}`), id: `old-${i}`, isRead: i % 2 === 0 }));

  test('take in a hundred thousand older ones in steps, and what comes in between is newer', () => {
    const shelf = new RecentEvents(() => 30_000);
    shelf.add({ ...inboundEvent('new-1'), id: 'new-1' });
    const known = { ...inboundEvent('old-5'), id: 'old-5', isRead: true };
    shelf.add(known);
    let steps = 0;
    for (const _ of shelf.addOlder(older(25_000))) {
      steps++;
      // None of them is visible before all are added.
      assert.equal(shelf.find('old-24999'), undefined);
      shelf.add({ ...inboundEvent(`between-${steps}`), id: `between-${steps}` });
    }
    const ids = shelf.list().map(({ id }) => id);
    assert.deepEqual([steps, ids.length], [2, 25_003]);
    assert.deepEqual(ids.slice(0, 6), ['between-2', 'between-1', 'old-5', 'new-1', 'old-0', 'old-1']);
    assert.deepEqual([shelf.find('old-5') === known, shelf.unread], [true, 12_499 + 3]);
    shelf.clear(undefined);
    assert.deepEqual([shelf.list(), shelf.unread, shelf.find('old-1')], [[], 0, undefined]);
    shelf.add({ ...inboundEvent('again'), id: 'again' });
    assert.deepEqual([shelf.list().length, shelf.unread], [1, 1]);
  });

  test('are there once, though one comes while it is taken in among the older ones', () => {
    const shelf = new RecentEvents(() => 30_000);
    const again = { ...inboundEvent('old-24999'), id: 'old-24999', isRead: false };
    for (const _ of shelf.addOlder(older(25_000))) if (shelf.find(again.id) === undefined) shelf.add(again);
    const ids = shelf.list().map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size, ids[0]], [25_000, 25_000, 'old-24999']);
    assert.deepEqual([shelf.find('old-24999') === again, shelf.unread], [true, 12_500]);
  });

  test('are cut to what may be kept when older ones come', () => {
    const shelf = new RecentEvents(() => 3);
    for (const _ of shelf.addOlder(older(5))) assert.fail('There is no second step.');
    assert.deepEqual(
      shelf.list().map(({ id }) => id),
      ['old-0', 'old-1', 'old-2'],
    );
    assert.equal(shelf.unread, 1);
  });
});
