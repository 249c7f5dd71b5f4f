import assert from 'node:assert/strict';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

/** Invalid answers to the call with this id, and what the caller gets. */
const ODD: Readonly<Record<string, readonly [(id: number) => Json, string]>> = {
  'a result that is a list': [(id) => ({ jsonrpc: '2.0', id, result: [{ type: 'text', text: 'a' }] }), 'a'],
  'a result that is null': [(id) => ({ jsonrpc: '2.0', id, result: null }), 'null'],
  'a result that is a text': [(id) => ({ jsonrpc: '2.0', id, result: 'plain' }), 'plain'],
  'a result that is empty': [(id) => ({ jsonrpc: '2.0', id, result: {} }), ''],
  'another member in the envelope': [(id) => ({ jsonrpc: '2.0', id, result: { content: [] }, meta: { x: 1 } }), ''],
  'a _meta that is null': [(id) => ({ jsonrpc: '2.0', id, result: { content: [], _meta: null } }), ''],
  'no "jsonrpc"': [(id) => ({ id, result: { content: [{ type: 'text', text: 'a' }] } }), 'a'],
  'another "jsonrpc"': [(id) => ({ jsonrpc: '1.0', id, result: 'a' }), 'a'],
  'the id as a text': [(id) => ({ jsonrpc: '2.0', id: String(id), result: 'a' }), 'a'],
  'both a result and no error': [(id) => ({ jsonrpc: '2.0', id, result: 'a', error: null }), 'a'],
  'neither result nor error': [
    (id) => ({ jsonrpc: '2.0', id }),
    'REMOTE_ERROR: The answer has neither a result nor an error.',
  ],
  'an error that is a text': [(id) => ({ jsonrpc: '2.0', id, error: 'broken' }), 'REMOTE_ERROR: broken'],
  'an error without a code': [(id) => ({ jsonrpc: '2.0', id, error: { message: 'm' } }), 'REMOTE_ERROR: m'],
  'an error without words': [
    (id) => ({ jsonrpc: '2.0', id, error: { code: 7 } }),
    'REMOTE_ERROR: The server gave no message.',
  ],
  'a code that is a text': [(id) => ({ jsonrpc: '2.0', id, error: { code: '7', message: 'm' } }), 'REMOTE_ERROR: m'],
};

suite('Odd JSON in answer to a call', () => {
  for (const [what, [answer, expected]] of Object.entries(ODD))
    test(`${what} is delivered, or refused with a reason`, async () => {
      const t = new TestHost();
      t.connect = () => {
        const server = new ScriptedServer({
          'tools/list': () => ({ tools: [tool('odd')] }),
          'tools/call': (_, id) => {
            server.say(answer(Number(id)));
            return NO_ANSWER;
          },
        });
        return server;
      };
      await t.user({ a: { command: 'node', enabled: true } });
      const said = await t.host.callTool({ server: 'a', tool: 'odd', args: {}, route: 'api' }).then(
        ({ modelText }) => modelText,
        (error: unknown) => (isHostError(error) ? `${error.code}: ${error.message}` : String(error)),
      );
      assert.equal(said, expected);
      await t.host.close();
    });

  test('parameters by position in a request of the server are refused, and the connection goes on', async () => {
    const t = new TestHost();
    await t.user({ a: { command: 'node', enabled: true } });
    t.server.say({ jsonrpc: '2.0', id: 'p', method: 'roots/list', params: [1, 2] });
    t.server.say({ jsonrpc: '2.0', id: 'q', method: 'ping' });
    await settle();
    assert.deepEqual(t.server.messages.slice(-2), [
      { jsonrpc: '2.0', id: 'p', error: { code: -32602, message: 'params must be an object.' } },
      { jsonrpc: '2.0', id: 'q', result: {} },
    ]);
    await t.host.close();
  });
});
