import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { GatewayEndpoint } from '../../../../src/core/index.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
import { discovered, modernServer } from '../session/statelessServer.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const lists = { 'tools/list': () => ({ tools: [tool('look')] }) };

const featureSets = {
  news: { description: 'Sends events.', uses: ['pushEvents'] },
  hooks: { description: 'Adds to turns.', uses: ['contextHooks.beforeInference'] },
  files: { description: 'Asks for scopes.', uses: ['tools'], scoped: true },
  notes: { description: 'Has states.', uses: ['tools'], rollback: true, hostState: true },
};
const mcpl = { version: '0.2', pushEvents: true, contextHooks: { beforeInference: true }, featureSets };

const kinds: Readonly<Record<string, () => ScriptedServer>> = {
  plain: () => new ScriptedServer(lists),
  mcpl: () =>
    new ScriptedServer({
      ...lists,
      initialize: () => initializeResult({ capabilities: { tools: {}, experimental: { mcpl } } }),
    }),
  // It acknowledges the subscription, and sends nothing.
  stateless: () => {
    const server = modernServer({
      ...lists,
      'server/discover': () => discovered({ capabilities: { tools: { listChanged: true } } }),
      'subscriptions/listen': (_params, id) => {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
        server.notify('notifications/subscriptions/acknowledged', { notifications: { toolsListChanged: true }, _meta });
        return NO_ANSWER;
      },
    });
    return server;
  },
};

suite('Ten servers that have nothing to do', () => {
  let t: TestHost;
  let endpoints: GatewayEndpoint[];

  /** They run with every kind of viewer: views, the trace, clients of the gateway. */
  setup(async () => {
    t = new TestHost();
    t.era = undefined;
    t.connect = (connection) => kinds[connection.kind === 'stdio' ? connection.command : '']!();
    const names = Object.keys(kinds);
    const entry = (index: number): JsonObject => ({
      command: names[index % names.length]!,
      enabled: true,
      featureSets: { enabled: ['*'] },
      healthCheck: false,
    });
    await t.user(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`s${index}`, entry(index)])));
    await settle();
    const ids = { uuid: () => 'id', random: () => 0.5, sha256: (text: string) => text };
    endpoints = t.host.servers().map(({ id }) => {
      t.host.trace(id)?.set(true);
      const endpoint = new GatewayEndpoint({ host: t.host, server: id, ids, clock: t.clock });
      endpoint.open();
      return endpoint;
    });
    await Promise.all([t.host.events.loaded(), t.host.approvals.loaded(), t.host.lineages.loaded()]);
    // Lets work from the start end.
    await t.clock.advance(5 * MINUTE);
    t.clock.fired.length = 0;
  });
  teardown(async () => {
    for (const endpoint of endpoints) endpoint.dispose();
    await t.host.close();
  });

  test('set no timer in a day', async () => {
    assert.deepEqual(
      t.host.servers().map(({ id, state, tools }) => `${id} ${state.kind} ${tools.length}`),
      Array.from({ length: 10 }, (_, index) => `s${index} running 1`),
    );
    await t.clock.advance(DAY);
    assert.deepEqual(t.clock.fired, []);
  });

  test('cost one look every ten seconds where their health is checked, and each of them a ping after each silence', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`p${index}`, { command: 'plain', enabled: true }]),
    );
    await t.user(entries);
    await t.clock.advance(5 * MINUTE);
    t.clock.fired.length = 0;
    await t.clock.advance(60 * MINUTE);
    const looks = t.clock.fired.filter((ms) => ms === 10_000).length;
    const pings = t.servers.flatMap(({ heard }) => heard).filter((line) => line.startsWith('ping')).length;
    assert.ok(looks >= 360 && pings >= 900 && pings <= 1_300, `${looks} looks, ${pings} pings`);
    // Each ping has a timeout, whose timer the server's other requests share.
    assert.ok(t.clock.fired.length < 1_800, `${t.clock.fired.length} timers in an hour`);
    assert.ok(Math.min(...t.clock.fired) >= 1_000);
  });

  test('cost a look at the store every two seconds while a lineage is visible', async () => {
    const watching = t.host.lineages.watch();
    await settle();
    await t.clock.advance(10_000);
    assert.deepEqual(t.clock.fired, [2_000, 2_000, 2_000, 2_000, 2_000]);
    watching.dispose();
  });
});
