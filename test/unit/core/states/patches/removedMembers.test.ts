import assert from 'node:assert/strict';
import { RemovedMembers } from '../../../../../src/core/states/patches/removedMembers.ts';

suite('Placeholders of removed members', () => {
  test('are cleared when there are too many, even without a read', () => {
    const removed = new RemovedMembers();
    const members = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index]));
    const gone = Array.from({ length: 1_500 }, (_, index) => removed.remove(members, `k${index}`, index));
    assert.equal(Object.keys(members).length, 2_000);
    removed.beginPatch(0);
    assert.equal(Object.keys(members).length, 500);
    for (const member of gone.toReversed()) removed.restore(member);
    assert.deepEqual(
      Object.entries(members),
      Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index]),
    );
  });

  test('are cleared away when they may keep much in memory that left the state', () => {
    const removed = new RemovedMembers();
    const members = { a: 1, b: 2 };
    removed.remove(members, 'a', 1);
    removed.beginPatch(900_000);
    assert.deepEqual(Object.keys(members), ['a', 'b']);
    removed.beginPatch(200_000);
    assert.deepEqual(Object.keys(members), ['b']);
    removed.remove(members, 'b', 2);
    removed.beginPatch(900_000);
    assert.deepEqual(Object.keys(members), ['b']);
  });
});
