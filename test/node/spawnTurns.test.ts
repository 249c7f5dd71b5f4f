import assert from 'node:assert/strict';
import { spawnTurn } from '../../src/node/process/spawnTurns.ts';

suite('Starts of processes', () => {
  test('have a turn of their own each, in the order in which they are asked for', async () => {
    const seen: string[] = [];
    let turn = 0;
    let next = setImmediate(function count() {
      turn++;
      next = setImmediate(count);
    });
    await Promise.all(['a', 'b', 'c'].map((name) => spawnTurn().then(() => seen.push(`${name} ${turn}`))));
    clearImmediate(next);
    const turns = seen.map((line) => Number(line.slice(2)));
    assert.deepEqual(
      seen.map((line) => line.slice(0, 1)),
      ['a', 'b', 'c'],
    );
    assert.equal(new Set(turns).size, 3, seen.join());
  });
});
