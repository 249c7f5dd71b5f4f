import assert from 'node:assert/strict';
import { PushDedupe } from '../../../src/core/mcpl/pushDedupe.ts';

const DAY = 24 * 60 * 60_000;

suite('Push events that come again', () => {
  test('an event is known by its server and its id', () => {
    const known = new PushDedupe();
    const answer = Promise.resolve(true);
    known.remember('a', 'e', 0, answer);
    assert.equal(known.find('a', 'e', 1), answer);
    assert.equal(known.find('b', 'e', 1), undefined);
    assert.equal(known.find('a', 'f', 1), undefined);
  });

  test('it is forgotten after a day, or when it was not taken', () => {
    const known = new PushDedupe();
    known.remember('a', 'old', 0, Promise.resolve(true));
    assert.notEqual(known.find('a', 'old', DAY - 1), undefined);
    assert.equal(known.find('a', 'old', DAY), undefined);
    assert.equal(known.find('a', 'old', 1), undefined);
    known.remember('a', 'refused', 0, Promise.resolve(false));
    known.forget('a', 'refused');
    known.forget('nobody', 'refused');
    assert.equal(known.find('a', 'refused', 1), undefined);
  });

  test('of each server the last thousand are known, and what comes again counts as new', () => {
    const known = new PushDedupe();
    known.remember('b', 'other', 0, Promise.resolve(true));
    for (let i = 0; i < 1_000; i++) known.remember('a', `e${i}`, 0, Promise.resolve(i));
    void known.find('a', 'e0', 1);
    known.remember('a', 'e1000', 1, Promise.resolve(1_000));
    const found = ['e0', 'e1', 'e2', 'e1000'].filter((id) => known.find('a', id, 2) !== undefined);
    assert.deepEqual(found, ['e0', 'e2', 'e1000']);
    assert.notEqual(known.find('b', 'other', 2), undefined);
  });
});
