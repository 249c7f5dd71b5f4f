import assert from 'node:assert/strict';
import { Heartbeat } from '../../src/node/gateway/gatewayExchange.ts';
import { FakeClock } from '../support/fakeClock.ts';

suite('One heartbeat for many', () => {
  let clock: FakeClock;
  let heartbeat: Heartbeat;
  let beats: string[];

  setup(() => {
    clock = new FakeClock();
    heartbeat = new Heartbeat(clock, 60_000);
    beats = [];
  });

  test('calls all of them by one timer, those that came later as well', async () => {
    const first = heartbeat.add(() => beats.push('first'));
    await clock.advance(50_000);
    const second = heartbeat.add(() => beats.push('second'));
    assert.equal(clock.waiting, 1);
    await clock.advance(10_000);
    assert.deepEqual(beats, ['first', 'second']);
    await clock.advance(120_000);
    assert.deepEqual(beats, ['first', 'second', 'first', 'second', 'first', 'second']);
    assert.deepEqual(clock.fired, [60_000, 60_000, 60_000]);
    first.dispose();
    await clock.advance(60_000);
    assert.deepEqual(beats.slice(6), ['second']);
    second.dispose();
    assert.equal(clock.waiting, 0);
  });

  test('has no timer without listeners, and starts again with the next one', async () => {
    assert.equal(clock.waiting, 0);
    heartbeat.add(() => beats.push('gone')).dispose();
    await clock.advance(120_000);
    heartbeat.add(() => beats.push('here'));
    await clock.advance(60_000);
    assert.deepEqual(beats, ['here']);
  });

  test('goes on for the others when one leaves, or comes, while they are called', async () => {
    const leaving = heartbeat.add(() => {
      beats.push('leaving');
      leaving.dispose();
      heartbeat.add(() => beats.push('new'));
    });
    heartbeat.add(() => beats.push('staying'));
    await clock.advance(120_000);
    assert.deepEqual(beats, ['leaving', 'staying', 'staying', 'new']);
    assert.equal(clock.waiting, 1);
  });
});
