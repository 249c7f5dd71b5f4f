import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/base/errors.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { createLinkedTransports } from '../../../../src/core/rpc/memoryTransport.ts';
import { settle } from '../../../support/fakeClock.ts';

suite('linked transports', () => {
  test('hold messages until there is a listener, and deliver copies in order', async () => {
    const [one, two] = createLinkedTransports();
    const message = { n: 1 };
    one.send(message);
    one.send({ n: 2 });
    message.n = 5;
    const seen: Json[] = [];
    two.start((received) => seen.push(received));
    assert.deepEqual(seen, []);
    await settle();
    assert.deepEqual(seen, [{ n: 1 }, { n: 2 }]);
  });

  test('deliver what was sent before the end, then end once on both sides', async () => {
    const [one, two] = createLinkedTransports();
    const events: string[] = [];
    const listening = [one, two].map((end, i) =>
      end.onClose(({ error }) => events.push(`${i} closed ${error?.code ?? 'on purpose'}`)),
    );
    two.start((message) => events.push(JSON.stringify(message)));
    one.send({ last: true });
    await one.close();
    await two.close();
    one.send({ tooLate: true });
    two.fail(new HostError('SERVER_EXITED', 'Too late.', { layer: 'process' }));
    await settle();
    assert.deepEqual(events.sort(), ['0 closed on purpose', '1 closed on purpose', '{"last":true}']);
    for (const each of listening) each.dispose();
  });
});
