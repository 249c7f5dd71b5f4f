import assert from 'node:assert/strict';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { TimerCount } from '../../bench/timerCount.ts';

suite('Timers that fire', () => {
  test('are counted by the place that set them, with the shortest time that one waited', async () => {
    const timers = new TimerCount((text) => /\bbeat\b/.test(text));
    const before = setTimeout(function beatBefore() {}, 3);
    timers.watch();
    timers.start();
    const beat = (ms: number): Promise<void> => wait(ms);
    for (const ms of [5, 2, 4]) await beat(ms);
    await turn();
    const all = timers.stop();
    await beat(1);
    timers.unwatch();
    clearTimeout(before);
    assert.deepEqual(
      all.filter(({ isOurs }) => isOurs).map(({ fired, shortestMs }) => [fired, shortestMs]),
      [[3, 2]],
    );
    assert.deepEqual(
      all.filter(({ where }) => where.includes('beatBefore')).map(({ where, fired }) => [where, fired]),
      [['calls function beatBefore() {}', 1]],
    );
    assert.ok(all.some(({ isOurs, shortestMs }) => !isOurs && shortestMs === 0));
  });
});
