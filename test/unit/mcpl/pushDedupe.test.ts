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

  test('of each server at least the last thousand are known, and what comes again counts as new', () => {
    const known = new PushDedupe();
    const isKnown = (id: string): boolean => known.find('a', id, 2) !== undefined;
    known.remember('b', 'other', 0, Promise.resolve(true));
    for (let i = 0; i < 1_500; i++) known.remember('a', `e${i}`, 0, Promise.resolve(i));
    assert.ok(isKnown('e0'));
    for (let i = 1_500; i < 2_499; i++) {
      known.remember('a', `e${i}`, 1, Promise.resolve(i));
      assert.ok(isKnown(`e${i - 999}`), String(i));
    }
    assert.deepEqual(['e0', 'e1', 'e2498'].filter(isKnown), ['e0', 'e2498']);
    assert.notEqual(known.find('b', 'other', 2), undefined);
  });

  test('no more than two thousand are known, however many came', () => {
    const known = new PushDedupe();
    for (let i = 0; i < 10_000; i++) known.remember('a', `e${i}`, 0, Promise.resolve(i));
    const ids = Array.from({ length: 10_000 }, (_, i) => `e${i}`);
    assert.equal(ids.reverse().filter((id) => known.find('a', id, 1) !== undefined).length, 2_000);
  });

  test('what was not taken is forgotten wherever it is remembered', () => {
    const known = new PushDedupe();
    known.remember('a', 'again', 0, Promise.resolve(true));
    for (let i = 0; i < 1_000; i++) known.remember('a', `e${i}`, 0, Promise.resolve(i));
    void known.find('a', 'again', 1);
    known.forget('a', 'again');
    assert.equal(known.find('a', 'again', 1), undefined);
  });
});
