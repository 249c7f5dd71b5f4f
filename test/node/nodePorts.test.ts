import assert from 'node:assert/strict';
import { nodeClock, nodeIds } from '../../src/node/nodePorts.ts';

suite('The ports of Node', () => {
  test('the clock calls back once after the delay, and not when it is disposed', async () => {
    const calls: string[] = [];
    const before = nodeClock.now();
    await new Promise<void>((resolve) => {
      nodeClock.delay(5, () => calls.push('disposed')).dispose();
      nodeClock.delay(5, () => calls.push('early'));
      nodeClock.delay(20, resolve);
    });
    assert.deepEqual(calls, ['early']);
    assert.ok(nodeClock.now() - before >= 19);
  });

  test('a delay beyond what a timer holds does not end at once', async () => {
    let isOver = false;
    const long = nodeClock.delay(2 ** 40, () => (isOver = true));
    await new Promise<void>((resolve) => nodeClock.delay(20, resolve));
    long.dispose();
    assert.equal(isOver, false);
  });

  test('ids are random, digests are SHA-256 of UTF-8', () => {
    const ids = Array.from({ length: 1_000 }, () => nodeIds.uuid());
    assert.equal(new Set(ids).size, ids.length);
    const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    assert.deepEqual(
      ids.filter((id) => !version4.test(id)),
      [],
    );
    // Each random digit takes every value.
    const digits = Array.from({ length: 36 }, (_, at) => new Set(ids.map((id) => id[at])).size);
    assert.deepEqual([...new Set(digits)].sort(), [1, 16, 4]);
    const number = nodeIds.random();
    assert.ok(number >= 0 && number < 1);
    assert.equal(nodeIds.sha256('ä'), '33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc');
  });
});
