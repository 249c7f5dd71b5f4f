import assert from 'node:assert/strict';
import { GatewayEndpoint } from '../../../../src/core/gateway/endpoint.ts';
import { outlineBody } from '../../../../src/core/gateway/gatewayMessages.ts';
import type { BackChannel, GatewaySession } from '../../../../src/core/gateway/gatewaySession.ts';
import type { Json, JsonObject } from '../../../../src/core/index.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { failOnLeaks } from '../../../support/leaks.ts';
import { FakeHost, prompt, resource, RUNNING, template, tool } from './fakeHost.ts';

class Channel implements BackChannel {
  readonly lines: string[] = [];

  send(message: Json): void {
    this.lines.push(JSON.stringify(message));
  }

  end(): void {
    this.lines.push('(end)');
  }
}

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

suite('gateway endpoint', () => {
  let host: FakeHost;
  let endpoint: GatewayEndpoint;

  setup(() => {
    host = new FakeHost();
    host.set('notes', [tool('add')]);
    let next = 0;
    endpoint = new GatewayEndpoint({
      host,
      server: 'notes',
      ids: { uuid: () => `s${++next}` },
      clock: new FakeClock(),
      maxSessions: 3,
    });
  });
  teardown(() => endpoint.dispose());
  failOnLeaks();

  const open = async (): Promise<GatewaySession> => {
    const session = endpoint.open();
    assert.ok(session !== undefined);
    await session.receive({ id: 0, method: 'initialize', params: {} }, () => undefined);
    await session.receive({ jsonrpc: '2.0', method: 'notifications/initialized' }, () => undefined);
    return session;
  };
  const listen = (session: GatewaySession): Channel => {
    const channel = new Channel();
    session.attach(channel);
    return channel;
  };

  test('clients are notified of visible changes only', async () => {
    const one = listen(await open());
    const two = listen(await open());
    const fresh = endpoint.open();
    assert.ok(fresh !== undefined);
    const early = listen(fresh);
    host.set('other', [tool('x')]);
    host.set('notes', [tool('add'), tool('hidden', {}, { offered: false })]);
    host.set('notes', [tool('add')], { kind: 'starting' }, 'state');
    assert.deepEqual([one.lines, two.lines], [[], []]);
    host.set('notes', [tool('add', {}, { autoApproved: true })], RUNNING, 'settings');
    host.set('notes', [tool('add', {}, { autoApproved: true })], { kind: 'stopped', reason: 'byUser' }, 'state');
    assert.deepEqual([one.lines, two.lines, early.lines], [[CHANGED, CHANGED], [CHANGED, CHANGED], []]);
  });

  test('a reread list counts as changed only with other content or in another order', async () => {
    const one = listen(await open());
    const [a, b] = [{ inputSchema: { type: 'object', properties: { x: {}, y: {} } } }, { title: 'B' }];
    host.set('notes', [tool('a', a), tool('b', b)]);
    assert.equal(one.lines.splice(0).length, 1);
    // The same, with members in another order.
    host.set('notes', [tool('a', { inputSchema: { properties: { y: {}, x: {} }, type: 'object' } }), tool('b', b)]);
    assert.deepEqual(one.lines, []);
    for (const tools of [
      [tool('b', b), tool('a', a)],
      [tool('b', { title: 'C' }), tool('a', a)],
      [tool('b', { title: 'C' }), tool('a', a), tool('c')],
      [tool('b', { title: 'C' }), tool('a', a)],
    ]) {
      host.set('notes', tools);
      assert.equal(one.lines.splice(0).length, 1);
    }
  });

  test('each list has its own notification, only for clients that know the list', async () => {
    const notify = (list: string): string => CHANGED.replace('tools', list);
    const plain = listen(await open());
    const has = (...capabilities: readonly string[]): { capabilities: JsonObject } => ({
      capabilities: Object.fromEntries(capabilities.map((name) => [name, {}])),
    });
    host.set('notes', [tool('add')], RUNNING, 'state', has('tools', 'prompts', 'resources'));
    const able = listen(await open());
    const lists = { ...has('tools', 'prompts', 'resources'), prompts: [prompt('greet')], templates: [] };
    host.set('notes', [tool('add')], RUNNING, 'prompts', lists);
    const withTemplate = { ...lists, templates: [template('note:///{id}')] };
    host.set('notes', [tool('add')], RUNNING, 'resources', withTemplate);
    host.set('notes', [tool('add')], RUNNING, 'mcpl', withTemplate);
    host.set('notes', [tool('add')], RUNNING, 'resources', { ...withTemplate, resources: [resource('note:///1')] });
    assert.deepEqual([plain.lines, able.lines], [[], [notify('prompts'), notify('resources'), notify('resources')]]);
  });

  test('changes without an open stream are announced once, when there is one', async () => {
    const session = await open();
    host.set('notes', [tool('b')]);
    host.set('notes', [tool('c')]);
    const first = listen(session);
    const second = listen(session);
    host.set('notes', [tool('d')]);
    assert.deepEqual([first.lines, second.lines], [[CHANGED], [CHANGED]]);
  });

  test('a client that forgets its streams loses the oldest', async () => {
    const session = await open();
    const channels = [1, 2, 3, 4, 5].map(() => listen(session));
    assert.deepEqual(
      channels.map((channel) => channel.lines),
      [['(end)'], [], [], [], []],
    );
  });

  test('when there are too many sessions, the one that is idle for longest goes', async () => {
    const [a, b] = [await open(), await open()];
    const busy = listen(a);
    endpoint.session(b.id);
    await open();
    endpoint.session(b.id);
    await open();
    assert.deepEqual(
      ['s1', 's2', 's3', 's4'].map((id) => endpoint.session(id)?.id ?? 'gone'),
      ['s1', 's2', 'gone', 's4'],
    );
    for (const id of ['s2', 's4']) listen(endpoint.session(id) ?? a);
    assert.equal(endpoint.open(), undefined);
    assert.deepEqual(busy.lines, []);
  });

  test('a session ends once, with its streams', async () => {
    const session = await open();
    const channel = listen(session);
    assert.deepEqual(
      [endpoint.end(session.id), endpoint.end(session.id), endpoint.session(session.id)],
      [true, false, undefined],
    );
    assert.deepEqual(listen(session).lines, ['(end)']);
    assert.deepEqual(channel.lines, ['(end)']);
  });

  test('the end of the endpoint ends its sessions and lets go of the host', async () => {
    const channel = listen(await open());
    endpoint.dispose();
    assert.deepEqual([channel.lines, endpoint.sessionCount, host.hasListeners], [['(end)'], 0, false]);
  });
});

suite('gateway message bodies', () => {
  test('a body is outlined before it is answered', () => {
    const outline = (body: Json): string => {
      const { messages, ...flags } = outlineBody(body);
      const set = Object.entries(flags).flatMap(([name, value]) => (value === true ? [name] : []));
      return [messages.length, ...set].join(' ');
    };
    const call = { id: 1, method: 'tools/call' };
    assert.deepEqual(
      [
        outline({ id: 1, method: 'initialize' }),
        outline({ id: 1, method: 'ping' }),
        outline(call),
        outline({ method: 'tools/call' }),
        outline({ id: 1, result: {} }),
        outline({ id: 1, method: 'prompts/get' }),
        outline({ id: 1, method: 'resources/read' }),
        outline({ id: 1, method: 'resources/subscribe' }),
        outline({ id: 1, method: 'server/discover' }),
        outline([{ id: 1, method: 'initialize' }, call]),
        outline([{ method: 'x' }]),
        outline([]),
        outline(3),
      ],
      [
        '1 initializes wantsAnswer',
        '1 wantsAnswer',
        '1 wantsAnswer wantsStream',
        '1',
        '1',
        '1 wantsAnswer wantsStream',
        '1 wantsAnswer wantsStream',
        '1 wantsAnswer',
        '1 wantsAnswer asksForUnknownMethod',
        '2 isBatch wantsAnswer wantsStream',
        '1 isBatch',
        '1 wantsAnswer',
        '1 wantsAnswer',
      ],
    );
  });
});
