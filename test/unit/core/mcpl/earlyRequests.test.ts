import assert from 'node:assert/strict';
import { CancellationSource, NO_CANCELLATION } from '../../../../src/core/base/cancellation.ts';
import { EarlyRequests } from '../../../../src/core/mcpl/earlyRequests.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

suite('Requests before the end of the handshake', () => {
  let clock: FakeClock;
  let early: EarlyRequests;
  let settled: string[];
  const wait = (name: string, token = NO_CANCELLATION): void =>
    void early.wait(token).then((isOver) => settled.push(`${name} ${isOver}`));

  setup(() => {
    clock = new FakeClock();
    early = new EarlyRequests(clock);
    settled = [];
  });

  test('go on in the order in which they came', async () => {
    for (const name of ['a', 'b', 'c']) wait(name);
    await settle();
    assert.deepEqual(settled, []);
    early.release();
    await settle();
    assert.deepEqual(settled, ['a true', 'b true', 'c true']);
  });

  test('wait for five seconds and no longer', async () => {
    wait('a');
    await clock.advance(4_999);
    await settle();
    assert.deepEqual(settled, []);
    await clock.advance(1);
    await settle();
    early.release();
    await settle();
    assert.deepEqual(settled, ['a false']);
  });

  test('are given up with their connection, so that the next one does not take them for its own', async () => {
    const connection = new CancellationSource();
    wait('a', connection.token);
    connection.cancel();
    wait('b', connection.token);
    early.release();
    await settle();
    assert.deepEqual(settled.toSorted(), ['a false', 'b false']);
  });

  test('are a hundred at most', async () => {
    for (let index = 0; index < 101; index++) wait(String(index));
    await settle();
    assert.deepEqual(settled, ['100 false']);
    early.release();
    await settle();
    assert.equal(settled.filter((line) => line.endsWith('true')).length, 100);
  });
});
