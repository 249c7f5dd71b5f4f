import assert from 'node:assert/strict';
import type { OpenClient } from '../bench/clients/client.ts';
import { openFloor } from '../bench/clients/floor.ts';
import { httpOpeners } from '../bench/clients/http.ts';
import { openPeer } from '../bench/clients/peer.ts';
import { openSdk1 } from '../bench/clients/sdk1.ts';
import { openSdk2 } from '../bench/clients/sdk2.ts';

const ARGS = { text: 'Hello.' };

/** What a caller gets from one call, and how many messages of floods arrived. */
const heardOf = async (open: OpenClient): Promise<object> => {
  let notifications = 0;
  let progressed = 0;
  const client = await open(() => void notifications++);
  const answer = await client.call('echo', ARGS);
  await client.call('flood', { count: 50 });
  // The SDK drops notifications that arrive in the same read as the answer.
  await client.call('progress', { count: 2_000 }, () => void progressed++);
  const pinged = await client.call('pings', { count: 50 });
  // The SDK delivers the last notifications in reactions that run after the answer.
  await new Promise((resolve) => setImmediate(resolve));
  await client.close();
  return { answer, notifications, progressed: progressed > 1_000, pinged };
};

suite('the clients that the benchmark compares', () => {
  test('get the same from the same server', async () => {
    const expected = await heardOf(openFloor);
    for (const open of [openPeer, openSdk1, openSdk2]) assert.deepEqual(await heardOf(open), expected);
    assert.deepEqual(
      { ...expected, answer: 0 },
      {
        answer: 0,
        notifications: 50,
        progressed: true,
        pinged: { content: [{ type: 'text', text: 'done' }] },
      },
    );
  });

  for (const path of ['/json', '/events'])
    test(`get the same over HTTP (${path})`, async () => {
      const { floor, peer, sdk1, sdk2 } = httpOpeners(path);
      const answers: unknown[] = [];
      for (const open of [floor, peer, sdk1, sdk2]) {
        const client = await open?.(() => undefined);
        answers.push(await client?.call('echo', ARGS));
        await client?.close();
      }
      assert.deepEqual(answers, Array(4).fill(answers[0]));
      assert.notEqual(answers[0], undefined);
    });
});
