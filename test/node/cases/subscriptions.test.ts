import assert from 'node:assert/strict';
import { createNodeHost } from '../../../src/cli/nodeHost.ts';
import type { JsonObject } from '../../../src/core/index.ts';
import { waitUntil } from '../../support/processes.ts';
import { complete, type EventStream, type Exchange, HttpCases, stateless, tool } from './httpCaseServer.ts';

const META = 'io.modelcontextprotocol/';
suite('Notifications of a stateless server', () => {
  const cases = HttpCases.ofSuite();
  const subscription = (id: unknown): JsonObject => ({ _meta: { [`${META}subscriptionId`]: id as string } });
  const acknowledge = (stream: EventStream, id: unknown, notifications: object): void =>
    stream.say({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications, ...subscription(id) },
    });

  test('comes over a stream for what was agreed on, of which the newest counts, whatever type its id has', async () => {
    const streams: { readonly exchange: Exchange; readonly stream: EventStream }[] = [];
    let tools = [tool('echo')];
    const [opened] = await cases.running({
      ...stateless({ tools: { listChanged: true }, resources: { subscribe: true } }),
      'tools/list': (exchange) => exchange.result(complete({ ttlMs: 60_000, cacheScope: 'private', tools })),
      'resources/list': (exchange) => exchange.result(complete({ resources: [] })),
      'resources/templates/list': (exchange) => exchange.result(complete({ resourceTemplates: [] })),
      'subscriptions/listen': (exchange) => {
        const stream = exchange.stream();
        streams.push({ exchange, stream });
        const { resourceSubscriptions = [] } = exchange.params['notifications'] as {
          readonly resourceSubscriptions?: readonly string[];
        };
        const agreed = resourceSubscriptions.filter((uri) => uri !== 'mem://no');
        acknowledge(stream, exchange.id, { toolsListChanged: true, resourceSubscriptions: agreed });
      },
    });
    await waitUntil('the first stream', () => streams.length === 1);
    const heard: string[] = [];
    const watch = opened.host.subscribeResource('case', 'mem://a', (uri) => heard.push(uri));
    await watch.agreed;
    const refused = opened.host.subscribeResource('case', 'mem://no', () => undefined);
    await assert.rejects(refused.agreed, { code: 'CAPABILITY_MISSING' });
    assert.deepEqual(
      streams.map(({ exchange }) => exchange.params['notifications']),
      [
        { toolsListChanged: true },
        { toolsListChanged: true, resourceSubscriptions: ['mem://a'] },
        { toolsListChanged: true, resourceSubscriptions: ['mem://a', 'mem://no'] },
      ],
    );
    await waitUntil(
      'the end of the older ones',
      () => streams.filter(({ stream }) => stream.response.destroyed).length === 2,
    );
    const { exchange, stream } = streams.at(-1) ?? assert.fail();
    const updated = (id: unknown): void =>
      stream.say({ method: 'notifications/resources/updated', params: { uri: 'mem://a', ...subscription(id) } });
    updated(999);
    updated('another');
    updated(exchange.id);
    updated(String(exchange.id));
    tools = [tool('echo'), tool('new')];
    stream.say({ method: 'notifications/tools/list_changed', params: subscription(exchange.id) });
    await waitUntil('the new tool', () => opened.toolNames.includes('new'));
    assert.deepEqual(heard, ['mem://a', 'mem://a']);
    watch.dispose();
    refused.dispose();
  });

  for (const [how, end] of [
    [
      'ends it in good order',
      (stream, id) => {
        stream.result(complete(subscription(id)));
      },
    ],
    ['drops it', (stream) => stream.drop()],
  ] as const satisfies readonly (readonly [string, (stream: EventStream, id: unknown) => void])[])
    test(`is listened for again when the server ${how}, and everything may have changed meanwhile`, async () => {
      const streams: EventStream[] = [];
      let tools = [tool('echo')];
      const [opened, server] = await cases.running({
        ...stateless({ tools: { listChanged: true } }),
        'tools/list': (exchange) => exchange.result(complete({ ttlMs: 60_000, cacheScope: 'private', tools })),
        'subscriptions/listen': (exchange) => {
          const stream = exchange.stream();
          streams.push(stream);
          acknowledge(stream, exchange.id, { toolsListChanged: true });
        },
      });
      const first = await server.next('subscriptions/listen');
      tools = [tool('new')];
      end(streams[0] ?? assert.fail(), first.id);
      await waitUntil('the new tool', () => opened.toolNames.includes('new'));
      assert.deepEqual([streams.length, server.of('server/discover').length], [2, 1]);
    });

  test('is believed as long as it says: a list is read again when it is too old, and when it changed', async () => {
    let ttlMs = 0;
    let stream: EventStream | undefined;
    let id: unknown;
    const [opened, server] = await cases.running({
      ...stateless({ tools: { listChanged: true } }),
      'tools/list': (exchange) => exchange.result(complete({ ttlMs, cacheScope: 'public', tools: [] })),
      'subscriptions/listen': (exchange) => {
        ({ id } = exchange);
        stream = exchange.stream();
        acknowledge(stream, id, { toolsListChanged: true });
      },
    });
    const reads = (): number => server.of('tools/list').length;
    await server.next('subscriptions/listen');
    assert.equal(reads(), 1);
    ttlMs = 3_600_000;
    // A call of an unknown tool rereads the list, unless the server said that it is still valid.
    const callsUnknown = (): Promise<void> => assert.rejects(opened.call('unknown'));
    await callsUnknown();
    assert.equal(reads(), 2, 'what was good for no time is read again');
    await callsUnknown();
    assert.equal(reads(), 2, 'what is good for an hour is not');
    await opened.host.refresh('case');
    assert.equal(reads(), 3, 'a person who asks gets the list as it is now');
    stream?.say({ method: 'notifications/tools/list_changed', params: subscription(id) });
    await waitUntil('the list is read again', () => reads() === 4);
  });

  test('to one token is not shown under another', async () => {
    const server = await cases.serve({
      ...stateless(),
      'tools/list': (exchange) =>
        exchange.result(
          complete({ ttlMs: 60_000, cacheScope: 'private', tools: [tool(`of_${exchange.headers.authorization}`)] }),
        ),
    });
    const entry = (token: string): JsonObject => ({ url: server.url(), headers: { Authorization: token } });
    const host = createNodeHost({ servers: { a: entry('alice'), b: entry('bob') } });
    try {
      await Promise.all([host.start('a'), host.start('b')]);
      const names = (id: string): readonly string[] => host.server(id)?.tools.map(({ tool: { name } }) => name) ?? [];
      await waitUntil('the tools', () => names('a').length + names('b').length === 2);
      assert.deepEqual([names('a'), names('b')], [['of_alice'], ['of_bob']]);
    } finally {
      await host.close();
    }
  });
});
