import assert from 'node:assert/strict';
import { PushDedupe } from '../../../../src/core/events/pushEvents.ts';

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

  function afterMany(count: number): (id: string) => boolean {
    const known = new PushDedupe();
    for (let i = 0; i < count; i++) known.remember('a', `e${i}`, 0, Promise.resolve(i));
    return (id) => known.find('a', id, 1) !== undefined;
  }

  test('of each server at least the last thousand are known, and never more than two thousand', () => {
    for (const count of [1_000, 1_001, 1_500, 2_000, 10_000]) {
      const isKnown = afterMany(count);
      const last = Array.from({ length: 1_000 }, (_, i) => `e${count - 1 - i}`);
      assert.deepEqual(last.filter(isKnown), last, String(count));
      assert.equal(isKnown(`e${count - 2_001}`), false);
    }
  });

  test('what comes again counts as new, and what another server sends takes nothing away', () => {
    const known = new PushDedupe();
    const send = (from: number, to: number): void => {
      for (let i = from; i < to; i++) known.remember('a', `e${i}`, 0, Promise.resolve(i));
    };
    known.remember('b', 'other', 0, Promise.resolve(true));
    send(0, 1_500);
    void known.find('a', 'e0', 1);
    send(1_500, 2_499);
    assert.deepEqual(
      ['e0', 'e1', 'e2498'].filter((id) => known.find('a', id, 2) !== undefined),
      ['e0', 'e2498'],
    );
    assert.notEqual(known.find('b', 'other', 2), undefined);
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
