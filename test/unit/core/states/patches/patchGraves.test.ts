import assert from 'node:assert/strict';
import { Graves } from '../../../../../src/core/states/patches/patchGraves.ts';

suite('Graves of removed members', () => {
  test('are cleared away when there are too many, though nobody looks', () => {
    const graves = new Graves();
    const members = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index]));
    const buried = Array.from({ length: 1_500 }, (_, index) => graves.bury(members, `k${index}`, index));
    assert.equal(Object.keys(members).length, 2_000);
    graves.beginPatch(0);
    assert.equal(Object.keys(members).length, 500);
    for (const grave of buried.toReversed()) graves.digUp(grave);
    assert.deepEqual(
      Object.entries(members),
      Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index]),
    );
  });

  test('are cleared away when they may keep much in memory that left the state', () => {
    const graves = new Graves();
    const members = { a: 1, b: 2 };
    graves.bury(members, 'a', 1);
    graves.beginPatch(900_000);
    assert.deepEqual(Object.keys(members), ['a', 'b']);
    graves.beginPatch(200_000);
    assert.deepEqual(Object.keys(members), ['b']);
    graves.bury(members, 'b', 2);
    graves.beginPatch(900_000);
    assert.deepEqual(Object.keys(members), ['b']);
  });
});
