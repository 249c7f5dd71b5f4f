import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { WarmMemory } from '../../src/node/process/warmMemory.ts';

suite('warm memory', () => {
  test('is let go of a while after its last use, and may be held again after that', async () => {
    const warm = new WarmMemory(20);
    for (const memory of [new Uint8Array(1), new Uint8Array(2)]) {
      warm.hold(memory);
      assert.equal(warm.held, memory);
      await delay(60);
      assert.equal(warm.held, undefined);
    }
  });
});
