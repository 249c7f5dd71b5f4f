import assert from 'node:assert/strict';
import { Deferred } from '../../../src/core/index.ts';
import { type OnWaiting, SharedWork } from '../../../src/node/auth/sharedWork.ts';

suite('work that several share', () => {
  test('notifies all callers, early or late, that it waits for the user, and leaving ones that the wait is over', async () => {
    const work = new SharedWork<string>();
    const done = new Deferred<string>();
    const told: string[] = [];
    let tell: OnWaiting = () => undefined;
    const join = (name: string, signal = new AbortController().signal): Promise<string> =>
      work.run(
        'key',
        signal,
        (_, onWaiting) => {
          tell = onWaiting;
          return done.promise;
        },
        (isWaiting) => told.push(`${name} ${isWaiting}`),
      );
    const first = join('first');
    await Promise.resolve();
    tell(true);
    const leaving = new AbortController();
    const second = join('second', leaving.signal);
    leaving.abort();
    await assert.rejects(second, { code: 'CANCELLED' });
    tell(false);
    done.resolve('token');
    assert.equal(await first, 'token');
    assert.deepEqual(told, ['first true', 'second true', 'second false', 'first false']);
  });
});
