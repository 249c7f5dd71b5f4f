import assert from 'node:assert/strict';
import { createNodeHost } from '../../../src/cli/nodeHost.ts';
import { CancellationSource, type CancellationToken, type Elicitor, type JsonObject } from '../../../src/core/index.ts';
import { waitUntil } from '../../support/processes.ts';
import { complete, type EventStream, type Exchange, HttpCases, stateless, tool } from './httpCaseServer.ts';

const META = 'io.modelcontextprotocol/';
const text = (said: string): object => complete({ content: [{ type: 'text', text: said }] });
const question = (message: string): object => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
});
const asking = (inputRequests: object, requestState?: string): object => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

/** Answers forms by their message; leaves open what it does not know. */
class Person {
  readonly asked: string[] = [];
  readonly tokens: CancellationToken[] = [];
  readonly elicitor: Elicitor;

  constructor(answers: Readonly<Record<string, 'yes' | 'no'>>) {
    this.elicitor = {
      form: ({ message, form }, token) => {
        this.asked.push(message);
        this.tokens.push(token);
        const answer = answers[message];
        if (answer === undefined) return new Promise(() => undefined);
        if (answer === 'no') return Promise.resolve({ kind: 'decline' });
        return Promise.resolve({
          kind: 'accept',
          values: Object.fromEntries(form.fields.map((field) => [field.id, true])),
        });
      },
      url: () => Promise.resolve('cancel'),
      finish: () => Promise.resolve('cancel'),
      finished: () => undefined,
    };
  }
}

const metaOf = ({ params }: Exchange): JsonObject => params['_meta'] as JsonObject;
/** The params without what every request has. */
const given = ({ params }: Exchange): JsonObject => {
  const { _meta: _, name: _name, arguments: _arguments, ...rest } = params;
  return rest;
};

suite('A request of the stateless revision', () => {
  const cases = HttpCases.ofSuite();

  test('says in itself and in its headers what it is, in ASCII whatever it names', async () => {
    const marked = (header: unknown, more: object = {}): object => ({
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header, ...more } } },
    });
    const [opened, server] = await cases.running({
      ...stateless({ tools: {}, resources: {} }, [
        tool('héllo', marked('Region')),
        tool('empty', marked('')),
        tool('spaced', marked('Re gion')),
        tool('list', marked('Region', { type: 'array' })),
        tool('number', marked('Region', { type: 'number' })),
        tool('twice', {
          inputSchema: {
            type: 'object',
            properties: {
              a: { type: 'string', 'x-mcp-header': 'Region' },
              b: { type: 'string', 'x-mcp-header': 'REGION' },
            },
          },
        }),
        tool('hidden', { inputSchema: { anyOf: [marked('Region')['inputSchema' as never]] } }),
        tool('plain'),
      ]),
      'resources/list': (exchange) => exchange.result(complete({ resources: [] })),
      'resources/templates/list': (exchange) => exchange.result(complete({ resourceTemplates: [] })),
      'resources/read': (exchange) => exchange.result(complete({ contents: [{ uri: 'mem://ü', text: 'x' }] })),
    });
    await opened.call('héllo', { region: 'Zürich' });
    await opened.call('héllo', { region: 'eu 1' });
    await opened.call('héllo', { region: null });
    await opened.host.readResource('case', 'mem://ü');

    assert.deepEqual(opened.toolNames, ['héllo', 'plain']);
    assert.equal(opened.log.filter((line) => line.startsWith('warn Left out of the tools')).length, 6);
    const calls = server.heard.filter(({ method }) => /call|read/.test(method));
    const base64 = (value: string): string => `=?base64?${Buffer.from(value).toString('base64')}?=`;
    assert.deepEqual(
      calls.map(({ headers }) => [headers['mcp-method'], headers['mcp-name'], headers['mcp-param-region']]),
      [
        ['tools/call', base64('héllo'), base64('Zürich')],
        ['tools/call', base64('héllo'), 'eu 1'],
        ['tools/call', base64('héllo'), undefined],
        ['resources/read', base64('mem://ü'), undefined],
      ],
    );
    const ids = server.heard.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const exchange of server.heard) {
      const { method, headers, id } = exchange;
      const meta = metaOf(exchange);
      assert.deepEqual(
        [
          typeof id,
          meta[`${META}protocolVersion`],
          typeof meta[`${META}clientCapabilities`],
          headers['mcp-protocol-version'],
          headers['mcp-method'],
          headers['mcp-session-id'],
        ],
        ['number', '2026-07-28', 'object', '2026-07-28', method, undefined],
      );
    }
  });

  test('is answered by nothing but the kinds of result that there are', async () => {
    const [opened] = await cases.running({
      ...stateless(),
      'tools/call': (exchange) => exchange.result({ resultType: 'riddle', content: [] }),
    });
    await assert.rejects(opened.call(), /of a type that is not known: "riddle"/);
  });

  test('that misses a capability says which, and by a code of another protocol nothing of the kind', async () => {
    const [opened] = await cases.running({
      ...stateless(),
      'tools/call': (exchange) =>
        exchange.params['name'] === 'echo'
          ? exchange.error({ code: -32003, message: 'No', data: { requiredCapabilities: { sampling: { tools: {} } } } }, 400)
          : exchange.error({ code: -32003, message: 'Unknown feature set' }),
      'tools/list': (exchange) => exchange.result(complete({ tools: [tool('echo'), tool('other')] })),
    });
    await assert.rejects(opened.call('echo'), {
      code: 'CAPABILITY_MISSING',
      message: 'The server needs what this host does not offer: sampling.tools.',
    });
    await assert.rejects(opened.call('other'), { code: 'REMOTE_ERROR', rpcCode: -32003 });
  });

  test('is not an occasion for the server to ask: what it asks is logged and never answered', async () => {
    const [opened, server] = await cases.running({
      ...stateless(),
      'tools/call': (exchange) => {
        const stream = exchange.stream();
        stream.say({ id: 'theirs', method: 'roots/list' });
        stream.result(text('done'));
      },
    });
    assert.equal((await opened.call()).modelText, 'done');
    assert.equal((await opened.call()).modelText, 'done');
    assert.deepEqual(
      server.heard.filter(({ message }) => 'result' in message || 'error' in message),
      [],
    );
    assert.ok(
      opened.log.includes('warn The server sent the request roots/list, which a stateless server may not: not answered.'),
    );
  });
});

suite('A call that the server answers with questions', () => {
  const cases = HttpCases.ofSuite();

  test('is made again with the answers, a no among them, and the state given back to the letter', async () => {
    const person = new Person({ first: 'yes', second: 'no' });
    const state = ' "ünï"\\u0000 =';
    const [opened, server] = await cases.running(
      {
        ...stateless(),
        'tools/call': (exchange) => {
          const { inputResponses, requestState } = given(exchange) as {
            readonly inputResponses?: JsonObject;
            readonly requestState?: string;
          };
          if (inputResponses === undefined && requestState === undefined)
            exchange.result(asking({ a: question('first') }, state));
          else if (inputResponses?.['a'] !== undefined) exchange.result(asking({ b: question('second') }));
          else if (requestState === undefined) exchange.result({ resultType: 'input_required', requestState: 'again' });
          else exchange.result(text('done'));
        },
      },
      { elicitor: person.elicitor },
    );
    assert.equal((await opened.call('echo', { x: 1 })).modelText, 'done');
    const calls = server.of('tools/call');
    assert.deepEqual(calls.map(given), [
      {},
      { inputResponses: { a: { action: 'accept', content: { ok: true } } }, requestState: state },
      { inputResponses: { b: { action: 'decline' } } },
      { requestState: 'again' },
    ]);
    assert.deepEqual(
      calls.map(({ params }) => params['arguments']),
      [{ x: 1 }, { x: 1 }, { x: 1 }, { x: 1 }],
    );
    assert.equal(new Set(calls.map(({ id }) => id)).size, 4);
    assert.deepEqual(person.asked, ['first', 'second']);
  });

  test('without end is given up', async () => {
    const person = new Person({ more: 'yes' });
    const [opened, server] = await cases.running(
      { ...stateless(), 'tools/call': (exchange) => exchange.result(asking({ a: question('more') })) },
      { elicitor: person.elicitor },
    );
    await assert.rejects(opened.call(), /asked for input 10 times without coming to an end/);
    assert.equal(server.of('tools/call').length, 11);
  });

  test('is not made again when it is cancelled meanwhile, and its question is void', async () => {
    const person = new Person({});
    const [opened, server] = await cases.running(
      { ...stateless(), 'tools/call': (exchange) => exchange.result(asking({ a: question('open') })) },
      { elicitor: person.elicitor },
    );
    const source = new CancellationSource();
    const call = opened.host.callTool(
      { server: 'case', tool: 'echo', args: {}, route: 'api' },
      { token: source.token },
    );
    await waitUntil('the question', () => person.asked.length === 1);
    source.cancel();
    await assert.rejects(call, { code: 'CANCELLED' });
    assert.equal(person.tokens[0]?.isCancellationRequested, true);
    assert.deepEqual(server.lines(), ['POST server/discover', 'POST tools/list', 'POST tools/call']);
  });

  test('as a task is looked at as often as it wants, and answers each question once', async () => {
    const person = new Person({ one: 'yes', two: 'no' });
    const task = (status: string, more: object = {}): object => ({
      taskId: 'T 1',
      status,
      createdAt: '2026-08-01T00:00:00Z',
      lastUpdatedAt: '2026-08-01T00:00:00Z',
      ttlMs: 60_000,
      pollIntervalMs: 500,
      ...more,
    });
    const both = { k1: question('one'), k2: question('two') };
    const looks = [
      task('working'),
      task('input_required', { inputRequests: both }),
      task('input_required', { inputRequests: both }),
      task('completed', { result: { content: [{ type: 'text', text: 'finished' }] } }),
    ];
    const [opened, server] = await cases.running(
      {
        ...stateless({ tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }),
        'tools/call': (exchange) => exchange.result({ resultType: 'task', ...task('working') }),
        'tasks/get': (exchange) => exchange.result(complete(looks.shift() ?? assert.fail('It was over.'))),
        'tasks/update': (exchange) => exchange.result(complete({})),
      },
      { elicitor: person.elicitor },
    );
    assert.equal((await opened.call()).modelText, 'finished');
    assert.deepEqual(looks, []);
    assert.deepEqual(person.asked, ['one', 'two']);
    const updates = server.of('tasks/update');
    assert.deepEqual(
      updates.map(({ params }) => params['inputResponses']),
      [{ k1: { action: 'accept', content: { ok: true } } }, { k2: { action: 'decline' } }],
    );
    for (const exchange of [...server.of('tasks/get'), ...updates])
      assert.deepEqual([exchange.params['taskId'], exchange.headers['mcp-name']], ['T 1', 'T 1']);
  });
});

suite('What a stateless server tells by itself', function () {
  this.timeout(15_000);
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
    await waitUntil('the end of the older ones', () => streams.filter(({ stream }) => stream.response.destroyed).length === 2);
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
    ['ends it in good order', (stream, id) => {
      stream.result(complete(subscription(id)));
    }],
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
    await opened.host.refresh('case');
    assert.equal(reads(), 2, 'what was good for no time is read again');
    await opened.host.refresh('case');
    assert.equal(reads(), 2, 'what is good for an hour is not');
    stream?.say({ method: 'notifications/tools/list_changed', params: subscription(id) });
    await waitUntil('the list is read again', () => reads() === 3);
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
