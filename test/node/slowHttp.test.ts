import assert from 'node:assert/strict';
import { dose } from '../support/dose.ts';
import { answer, HttpConversation, idOf, JSON_TYPE, SSE_TYPE } from './httpConversation.ts';

/** Longer than the 300 s after which `fetch` closes a silent connection. */
const SILENCE_MS = dose(50, 320_000);
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

suite('patience over streamable HTTP', function () {
  this.timeout(SILENCE_MS + 30_000);
  const talk = HttpConversation.ofSuite();

  test('a reply that begins late arrives, and so does what comes late on a stream', async () => {
    await talk.converse(({ request, response, body }) => {
      const serve = async (): Promise<void> => {
        if (body.includes('"late"')) {
          await later();
          response.writeHead(200, JSON_TYPE).end(answer(idOf(body)));
          return;
        }
        response.writeHead(200, SSE_TYPE).flushHeaders();
        await later();
        if (request.method === 'GET') response.write('data: {"jsonrpc":"2.0","method":"unasked"}\n\n');
        else response.end(`data: ${answer(idOf(body))}\n\n`);
      };
      void serve();
    });
    talk.client.notify('notifications/initialized');
    talk.client.request(2, 'late');
    talk.client.request(3, 'stream');
    talk.client.request(4, 'subscriptions/listen', { _meta: META });
    const heard = await talk.client.take(4);
    assert.deepEqual([...heard].sort(), [answer(2), answer(3), answer(4), '{"jsonrpc":"2.0","method":"unasked"}']);
    // Nothing was repeated.
    assert.equal(talk.server.lines.length, 6);
  });
});
