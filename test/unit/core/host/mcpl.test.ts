import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const settings = { a: { command: 'x', enabled: true } };
const BEAT = { name: 'heartbeat', description: 'Beats.', uses: ['pushEvents'] };

async function connected(mcpl?: Json): Promise<TestHost> {
  const t = new TestHost();
  const experimental = mcpl === undefined ? {} : { experimental: { mcpl } };
  t.connect = () => new ScriptedServer({ initialize: () => initializeResult({ capabilities: { ...experimental } }) });
  await t.user(settings);
  return t;
}

/** The host's answer to a request of the server. */
async function answer(t: TestHost, method: string, params: Json): Promise<string> {
  t.server.say({ jsonrpc: '2.0', id: 1, method, params });
  await settle();
  return t.server.heard.at(-1) ?? '';
}

suite('MCPL servers', () => {
  test('get an update right after the handshake that every feature set is off, in both formats of the declaration', async () => {
    const shapes: (readonly [told: string, mcpl: Json])[] = [
      ['', { version: '0.2', featureSets: { 'memory.read': { description: 'd', uses: [] }, 'memory.push': {} } }],
      // Updates contain the scope lists since 0.3.
      [
        ',"scopes":{}',
        { version: '0.4', featureSets: [{ name: 'memory.read' }, { name: 'memory.push' }, { name: 'memory.read' }, 7] },
      ],
    ];
    for (const [more, shape] of shapes) {
      const t = await connected(shape);
      assert.deepEqual(t.server.heard.slice(1), [
        'notifications/initialized {}',
        `featureSets/update {"enabled":[],"disabled":["memory.read","memory.push"]${more}}`,
      ]);
      await t.host.close();
    }
  });

  test('that declare no set get an update too, because some wait for it', async () => {
    const t = await connected({ version: '0.4', channels: true });
    assert.equal(t.server.heard.at(-1), 'featureSets/update {"enabled":[],"disabled":[],"scopes":{}}');
    await t.host.close();
  });

  test('are refused with the protocol’s codes: for disabled, unknown and missing sets, and for unknown methods', async () => {
    const t = await connected({ version: '0.4', pushEvents: true, featureSets: [BEAT, { name: 'broken' }] });
    assert.deepEqual(
      [
        await answer(t, 'push/event', { featureSet: 'heartbeat', eventId: 'e1' }),
        await answer(t, 'push/event', { featureSet: 'broken', eventId: 'e1' }),
        await answer(t, 'push/event', { featureSet: 'other' }),
        await answer(t, 'push/event', {}),
        await answer(t, 'inference/request', { featureSet: 'heartbeat' }),
        await answer(t, 'scope/elevate', { featureSet: 'heartbeat' }),
        await answer(t, 'channels/register', { channels: [] }),
        await answer(t, 'no/such', {}),
      ],
      [
        'answer {"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"heartbeat","canEnable":true}}',
        'answer {"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"broken","canEnable":false}}',
        'answer {"code":-32003,"message":"Unknown feature set","data":{"featureSet":"other"}}',
        'answer {"code":-32602,"message":"featureSet must be a text.","data":{"field":"featureSet"}}',
        'answer {"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"heartbeat","canEnable":true}}',
        'answer {"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"heartbeat","canEnable":true}}',
        'answer {"code":-32601,"message":"Method not found: channels/register"}',
        'answer {"code":-32601,"message":"Method not found: no/such"}',
      ],
    );
    await t.host.close();
  });

  test('may change their sets: what is new is off, what is gone is unknown', async () => {
    const t = await connected({ version: '0.2', featureSets: { old: {} } });
    t.server.notify('featureSets/changed', { added: { fresh: {} }, removed: ['old'] });
    await settle();
    assert.equal(t.server.heard.at(-1), 'featureSets/update {"enabled":[],"disabled":["fresh"]}');
    assert.match(await answer(t, 'push/event', { featureSet: 'fresh' }), /-32001/);
    assert.match(await answer(t, 'push/event', { featureSet: 'old' }), /-32003/);
    await t.host.close();
  });

  test('may change their sets in the same breath as they end the handshake', async () => {
    const t = new TestHost();
    const mcpl = { version: '0.2', featureSets: { old: {} } };
    t.connect = () => {
      const server = new ScriptedServer({
        initialize: (_, id) => {
          server.answer(id, initializeResult({ capabilities: { experimental: { mcpl } } }));
          server.notify('featureSets/changed', { added: { fresh: {} }, removed: ['old'] });
          return NO_ANSWER;
        },
      });
      return server;
    };
    await t.user(settings);
    assert.equal(t.server.heard.at(-1), 'featureSets/update {"enabled":[],"disabled":["fresh"]}');
    await t.host.close();
  });

  test('cannot have the host keep and repeat sets without end', async () => {
    const t = await connected({ version: '0.5', featureSets: {} });
    const added = Array.from({ length: 1_000 }, (_, index) => `s${index}`);
    t.server.notify('featureSets/changed', { added: ['x'.repeat(300), ...added] });
    await settle();
    const told = t.server.messages.at(-1)?.['params'] as { readonly disabled: readonly string[] };
    assert.deepEqual([told.disabled.length, told.disabled[0]], [256, 's0']);
    await t.host.close();
  });
});

suite('Plain MCP servers', () => {
  test('get no MCPL message after the handshake, and its methods do not exist for them', async () => {
    const t = await connected();
    t.server.notify('featureSets/changed', { added: { x: {} } });
    assert.match(await answer(t, 'push/event', { featureSet: 'x' }), /-32601/);
    assert.deepEqual(
      t.server.heard.map((line) => line.split(' ')[0]),
      ['initialize', 'notifications/initialized', 'answer'],
    );
    await t.host.close();
  });
});
