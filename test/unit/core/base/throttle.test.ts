import assert from 'node:assert/strict';
import { Throttle } from '../../../../src/core/base/throttle.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

function throttled(options: { readonly leading?: boolean } = {}): {
  readonly clock: FakeClock;
  readonly throttle: Throttle;
  readonly runs: number[];
} {
  const clock = new FakeClock(0);
  const runs: number[] = [];
  return { clock, runs, throttle: new Throttle(clock, 100, () => runs.push(clock.now()), options) };
}

suite('Throttle', () => {
  test('requests within an interval run the action once, at its end', async () => {
    const { clock, throttle, runs } = throttled();
    throttle.request();
    await clock.advance(50);
    throttle.request();
    await clock.advance(500);
    throttle.request();
    await clock.advance(500);
    assert.deepEqual({ runs, waiting: clock.waiting }, { runs: [100, 650], waiting: 0 });
  });

  test('with leading, the first request runs at once and the others once per interval', async () => {
    const { clock, throttle, runs } = throttled({ leading: true });
    for (let i = 0; i < 25; i++) {
      throttle.request();
      await clock.advance(10);
    }
    await clock.advance(500);
    throttle.request();
    await clock.advance(500);
    assert.deepEqual({ runs, waiting: clock.waiting }, { runs: [0, 100, 200, 300, 750], waiting: 0 });
  });

  test('a flush runs a requested action now, and the next one waits for the interval', async () => {
    const { clock, throttle, runs } = throttled();
    throttle.flush();
    throttle.request();
    await clock.advance(40);
    throttle.flush();
    throttle.flush();
    throttle.request();
    await clock.advance(500);
    assert.deepEqual({ runs, waiting: clock.waiting }, { runs: [40, 100], waiting: 0 });
  });

  test('a cancelled request does not run, and a later one waits a whole interval', async () => {
    const { clock, throttle, runs } = throttled();
    throttle.request();
    await clock.advance(40);
    throttle.cancel();
    throttle.request();
    await clock.advance(500);
    assert.deepEqual({ runs, waiting: clock.waiting }, { runs: [140], waiting: 0 });
  });

  test('nothing runs after disposal', async () => {
    const { clock, throttle, runs } = throttled({ leading: true });
    throttle.request();
    throttle.request();
    throttle.dispose();
    throttle.request();
    await clock.advance(500);
    assert.deepEqual({ runs, waiting: clock.waiting }, { runs: [0], waiting: 0 });
  });

  test('an action may request itself again', async () => {
    const clock = new FakeClock(0);
    const runs: number[] = [];
    const act = (): void => {
      runs.push(clock.now());
      if (runs.length < 3) throttle.request();
    };
    const throttle = new Throttle(clock, 100, act, { leading: true });
    throttle.request();
    await clock.advance(500);
    assert.deepEqual(runs, [0, 100, 200]);
  });
});
