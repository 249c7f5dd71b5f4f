import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { toDisposable } from '../../../../src/core/base/disposable.ts';
import { HostError, isHostError } from '../../../../src/core/base/errors.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { createLinkedTransports } from '../../../../src/core/rpc/memoryTransport.ts';
import type { DroppedMessage, SendHints, Transport } from '../../../../src/core/rpc/transport.ts';
import type { SessionFeature } from '../../../../src/core/session/session.ts';
import { modernCapabilities, StatelessSession } from '../../../../src/core/session/statelessSession.ts';
import { StatelessTransport } from '../../../../src/core/session/statelessTransport.ts';
import { decodeDiscover } from '../../../../src/core/wire/envelope.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER } from '../../../support/scriptedServer.ts';
import { discovered, heard, MODERN, modernServer } from './statelessServer.ts';

const FORM = { message: 'ok?', requestedSchema: { type: 'object', properties: {} } };
const ask = (method = 'elicitation/create', params: JsonObject = FORM): JsonObject => ({
  resultType: 'input_required',
  inputRequests: { q: { method, params } },
});
const TIMEOUT = { timeoutMs: 60_000 };

class Bench {
  readonly clock = new FakeClock();
  readonly logs: string[] = [];
  readonly stop = new CancellationSource();
  readonly server;
  readonly hints: (SendHints | undefined)[] = [];
  readonly session: StatelessSession;

  constructor(
    responders: Parameters<typeof modernServer>[0] = {},
    features: readonly SessionFeature[] = [],
    capabilities: JsonObject = {},
    order: string[] = [],
  ) {
    this.server = modernServer(responders);
    const { transport } = this.server;
    const send = transport.send.bind(transport);
    transport.send = (message, hints) => {
      this.hints.push(hints);
      send(message, hints);
    };
    const found = decodeDiscover(discovered({ capabilities }));
    assert.ok(found);
    this.session = StatelessSession.open({
      transport,
      clock: this.clock,
      features,
      log: { log: (level, message) => void this.logs.push(`${level}: ${message}`) },
      client: { name: 'test', title: 'Test', version: '1.0' },
      protocolVersion: MODERN,
      discovered: found,
      roundTripMs: 5,
      stopping: this.stop.token,
      onOpened: ({ handshake }) => void order.push(`opened ${handshake.era}`),
    });
  }

  async close(): Promise<void> {
    this.session.dispose();
    await this.server.transport.close();
    await settle();
    assert.equal(this.clock.waiting, 0);
  }
}

async function failure(promise: Promise<unknown>): Promise<HostError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isHostError(error) ? error : assert.fail(`no failure: ${String(error)}`);
}

const line = ({ code, message, layer, rpcCode, effect, suggestion, data, cause }: HostError): string =>
  [`${code}: ${message}`, layer, rpcCode, effect, suggestion, JSON.stringify(data), isHostError(cause)].join(' | ');

const answers: SessionFeature = { requests: { 'elicitation/create': () => ({ action: 'accept', content: {} }) } };

suite('A stateless session', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('is what the server said of itself', async () => {
    bench = new Bench({}, [], { tools: {} });
    assert.deepEqual(bench.session.handshake, {
      era: 'modern',
      isDialect: false,
      protocolVersion: MODERN,
      roundTripMs: 5,
      info: { name: 'modern', title: undefined, version: '2.0', instructions: 'hi' },
      capabilities: { tools: {} },
    });
    assert.equal(bench.session.transport, bench.server.transport);
    assert.equal(bench.session.codec.version, MODERN);
    await settle();
    assert.deepEqual(heard(bench.server), []);
  });

  test('starts the features of its kind after it is known, and ends them', async () => {
    const order: string[] = [];
    const feature = (name: string, extra: SessionFeature = {}): SessionFeature => ({
      started: () => {
        order.push(`${name} started`);
        return toDisposable(() => order.push(`${name} over`));
      },
      ...extra,
    });
    const features = [feature('a'), feature('old', { era: 'legacy' }), feature('new', { era: 'modern' }), {}];
    bench = new Bench({}, features, {}, order);
    bench.session.dispose();
    assert.deepEqual(order, ['opened modern', 'a started', 'new started', 'new over', 'a over']);
  });

  test('reports its end and its activity', async () => {
    bench = new Bench({ 'tools/call': () => NO_ANSWER });
    const { session, server } = bench;
    const told: string[] = [];
    session.onClose(({ error }) => told.push(`closed ${String(error?.code)}`));
    const call = failure(session.request('tools/call', { name: 't' }, TIMEOUT));
    await settle();
    assert.equal(session.activity.callingSince, bench.clock.now());
    session.notify('notifications/own', { a: 1 });
    assert.equal(session.stopping.isCancellationRequested, false);
    bench.stop.cancel();
    assert.equal(session.stopping.isCancellationRequested, true);
    server.crash(new HostError('SERVER_EXITED', 'gone', { layer: 'process' }));
    assert.equal((await call).code, 'CONNECTION_CLOSED');
    assert.deepEqual(told, ['closed SERVER_EXITED']);
    assert.deepEqual(heard(server), ['tools/call {"name":"t"}', 'notifications/own {"a":1}']);
  });

  test('listens for the lists of which the server declares changes', async () => {
    const rows: readonly (readonly [JsonObject, readonly string[]])[] = [
      [{ prompts: { listChanged: true } }, ['subscriptions/listen {"notifications":{"promptsListChanged":true}}']],
      [{ tools: { listChanged: true } }, ['subscriptions/listen {"notifications":{"toolsListChanged":true}}']],
      [{ resources: { listChanged: true } }, ['subscriptions/listen {"notifications":{"resourcesListChanged":true}}']],
      [{ tools: { listChanged: 'yes' }, prompts: 'listChanged', resources: { subscribe: true } }, []],
    ];
    for (const [capabilities, expected] of rows) {
      bench = new Bench({ 'subscriptions/listen': () => NO_ANSWER }, [], capabilities);
      await settle();
      assert.deepEqual(heard(bench.server), expected);
      await bench.close();
    }
  });

  test('hands a change to every feature that wants it', async () => {
    const told: string[] = [];
    const hears = (name: string): SessionFeature => ({
      notifications: { 'notifications/tools/list_changed': () => void told.push(name) },
    });
    const features = [hears('a'), {}, { notifications: {} }, hears('b')];
    bench = new Bench({ 'subscriptions/listen': () => NO_ANSWER }, features, { tools: { listChanged: true } });
    await settle();
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 };
    const notifications = { toolsListChanged: true };
    bench.server.notify('notifications/subscriptions/acknowledged', { notifications, _meta });
    bench.server.notify('notifications/tools/list_changed', { _meta });
    await settle();
    assert.deepEqual(told, ['a', 'b']);
  });

  test('gets changes of a resource until it is unsubscribed', async () => {
    bench = new Bench({ 'subscriptions/listen': () => NO_ANSWER });
    const source = new CancellationSource();
    const subscribed = failure(bench.session.subscribe('mem://a', { ...TIMEOUT, token: source.token }));
    await settle();
    source.cancel();
    assert.equal((await subscribed).code, 'CANCELLED');
    const again = bench.session.subscribe('mem://b', TIMEOUT);
    await settle();
    bench.server.notify('notifications/subscriptions/acknowledged', {
      notifications: { resourceSubscriptions: ['mem://b'] },
      _meta: { 'io.modelcontextprotocol/subscriptionId': 2 },
    });
    await again;
    await bench.session.unsubscribe('mem://b');
    await settle();
    assert.match(heard(bench.server).at(-1) ?? '', /^notifications\/cancelled \{"requestId":2/);
  });

  test('declares folders without their changes, and only what exists on it', () => {
    bench = new Bench();
    assert.deepEqual(
      modernCapabilities([
        { capabilities: { roots: { listChanged: true }, sampling: {} } },
        { capabilities: { experimental: {} }, era: 'legacy' },
      ]),
      { sampling: {}, roots: {} },
    );
    assert.deepEqual(modernCapabilities([{ capabilities: { sampling: {} } }]), { sampling: {} });
  });
});

suite('A stateless request in several rounds', () => {
  let bench: Bench;
  teardown(() => bench.close());
  /** Answers only the first request with this. */
  const first =
    (answer: Json): (() => Json | typeof NO_ANSWER) =>
    () =>
      bench.server.messages.length === 1 ? answer : NO_ANSWER;

  test('is one to its caller: headers, progress, the error for a timeout, and a word for each round', async () => {
    bench = new Bench({ 'tools/call': first(ask()) }, [answers]);
    const told: string[] = [];
    const call = failure(
      bench.session.request(
        'tools/call',
        { name: 't' },
        {
          ...TIMEOUT,
          headers: { H: '1' },
          onProgress: ({ progress }) => void told.push(`progress ${String(progress)}`),
          timeoutError: (ms) => new HostError('NO_MODEL', `nothing within ${ms} ms`, { layer: 'policy' }),
          onRound: () => void told.push('round'),
        },
      ),
    );
    await settle();
    assert.deepEqual(
      bench.hints.map((hints) => hints?.headers),
      [{ H: '1' }, { H: '1' }],
    );
    const tokens = bench.server.messages.map(({ params }) => {
      const { _meta } = params as JsonObject;
      return (_meta as JsonObject)['progressToken'];
    });
    assert.deepEqual(tokens, [1, 2]);
    bench.server.notify('notifications/progress', { progressToken: 2, progress: 7 });
    await settle();
    await bench.clock.advance(TIMEOUT.timeoutMs);
    assert.equal((await call).message, `nothing within ${TIMEOUT.timeoutMs} ms`);
    assert.deepEqual(told, ['round', 'progress 7']);
  });

  test('asks for no progress if its caller does not, and fails in the words of the server', async () => {
    bench = new Bench({ 'tools/call': first(ask()) }, [answers]);
    const call = failure(bench.session.request('tools/call', { name: 't' }, TIMEOUT));
    await settle();
    bench.server.notify('notifications/progress', { progressToken: 2, progress: 7 });
    bench.server.say({ jsonrpc: '2.0', id: 2, error: { code: -32000, message: 'no' } });
    assert.equal((await call).message, 'no');
    assert.deepEqual(heard(bench.server), [
      'tools/call {"name":"t"}',
      'tools/call {"name":"t","inputResponses":{"q":{"action":"accept","content":{}}}}',
    ]);
    assert.deepEqual(bench.logs, []);
  });

  test('has the whole time of one request, which the user may use up', async () => {
    bench = new Bench({ 'tools/call': first(ask()) }, [
      {
        requests: {
          'elicitation/create': () =>
            new Promise((resolve) => void bench.clock.delay(4_000, () => resolve({ action: 'decline' }))),
        },
      },
    ]);
    const call = failure(
      bench.session.request('tools/call', { name: 't' }, { timeoutMs: 60_000, maxTimeoutMs: 10_000 }),
    );
    await bench.clock.advance(9_999);
    assert.equal(bench.clock.waiting, 1);
    await bench.clock.advance(1);
    assert.equal((await call).message, 'The server did not finish tools/call within 6 s.');
  });

  test('ends with its token in every round', async () => {
    bench = new Bench({ 'tools/call': first(ask()) }, [answers]);
    const source = new CancellationSource();
    const call = failure(bench.session.request('tools/call', { name: 't' }, { ...TIMEOUT, token: source.token }));
    await settle();
    source.cancel();
    assert.equal((await call).code, 'CANCELLED');
    assert.match(heard(bench.server).at(-1) ?? '', /^notifications\/cancelled \{"requestId":2/);
  });

  test('gets no answer that this host cannot give', async () => {
    const asked = async (answer: Json, isStopping = false): Promise<string> => {
      bench = new Bench({ 'tools/call': () => answer }, [answers]);
      if (isStopping) bench.stop.cancel();
      const { message } = await failure(bench.session.request('tools/call', { name: 't' }, TIMEOUT));
      await bench.close();
      return message;
    };
    const given = 'so tools/call was given up.';
    assert.deepEqual(
      [
        await asked(ask('elicitation/create', {})),
        await asked(ask('roots/list', {})),
        await asked(ask('own/thing', {})),
      ].map((message) => message.replace(/^The server asked for input /, '')),
      [
        `(elicitation/create) that it does not get: its "message" is not a text, ${given}`,
        `(roots/list) that it does not get: Method not found: roots/list, ${given}`,
        `(own/thing) that it does not get: Method not found: own/thing, ${given}`,
      ],
    );
    assert.match(await asked(ask(), true), /stopping|cancelled/);
  });

  test('is complete with any result that asks for nothing', async () => {
    bench = new Bench({
      'own/a': () => 7,
      'own/b': () => ({ resultType: 'complete', a: 1 }),
      'own/c': () => ({ a: 2 }),
    });
    const results = ['own/a', 'own/b', 'own/c'].map((method) =>
      bench.session.decoded(method, {}, TIMEOUT, (result) => JSON.stringify(result)),
    );
    assert.deepEqual(await Promise.all(results), ['7', '{"resultType":"complete","a":1}', '{"a":2}']);
  });
});

suite('A stateless request that fails', () => {
  let bench: Bench;
  teardown(() => bench.close());
  const failing = async (answer: ReturnType<typeof failWith>): Promise<string> => {
    bench = new Bench({ 'tools/call': () => answer });
    const error = await failure(bench.session.request('tools/call', { name: 't' }, TIMEOUT));
    await bench.close();
    return line(error);
  };

  test('says what happened to it and what to do', async () => {
    const supported = { supported: ['2027-01-01'] };
    const required = { requiredCapabilities: { sampling: {} } };
    assert.deepEqual(
      [
        await failing(failWith(-32022, 'no', supported)),
        await failing(failWith(-32021, 'no', required)),
        await failing(failWith(-32000, 'no', { a: 1 })),
      ],
      [
        `UNSUPPORTED_VERSION: The server no longer accepts MCP 2026-07-28. It supports 2027-01-01. | protocol | -32022 | none | Restart the server, so that a version is agreed again. | ${JSON.stringify(supported)} | true`,
        `CAPABILITY_MISSING: The server needs what this host does not offer: sampling. | server | -32021 | none | Use another tool, or another version of the server. | ${JSON.stringify(required)} | true`,
        'REMOTE_ERROR: no | server | -32000 | unknown |  | {"a":1} | false',
      ],
    );
  });

  test('names only versions by their date, however long they are', async () => {
    for (const supported of ['2027-01-01x', 'x2027-01-01', '2027-01', '27-01-01'])
      assert.match(await failing(failWith(-32602, 'no', { supported: [supported] })), /^REMOTE_ERROR: no /, supported);
    assert.match(
      await failing(failWith(-32022, 'no', { supported: ['v'.repeat(1_000)] })),
      /It supports v{30,40}…?\. \|/,
    );
  });
});

suite('A connection without requests of the server', () => {
  const CANCELLED = { jsonrpc: '2.0', method: 'notifications/cancelled' };

  test('passes everything else, and turns a cancellation into the end of its request', async () => {
    const [host, server] = createLinkedTransports();
    const logs: string[] = [];
    const transport = new StatelessTransport(host, { log: (level, message) => void logs.push(`${level}: ${message}`) });
    const received: Json[] = [];
    transport.start((message) => received.push(message));
    const passed: readonly Json[] = [
      7,
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, method: 7 },
      { jsonrpc: '2.0', id: null, method: 'a' },
      { jsonrpc: '2.0', method: 'b', params: { a: 1 } },
      { ...CANCELLED, params: [1] },
      CANCELLED,
    ];
    for (const message of passed) server.send(message);
    server.send({ ...CANCELLED, params: { requestId: 4, reason: 'overload' } });
    server.send({ ...CANCELLED, params: { reason: 5 } });
    for (let id = 0; id < 25; id++) server.send({ jsonrpc: '2.0', id, method: `x\u202e${'y'.repeat(200)}` });
    await settle();
    const ended = 'The server ended the request';
    assert.deepEqual(received, [
      ...passed,
      { jsonrpc: '2.0', id: 4, error: { code: -32800, message: `${ended}: overload` } },
      { jsonrpc: '2.0', id: null, error: { code: -32800, message: `${ended}.` } },
    ]);
    assert.equal(logs.length, 20);
    assert.match(logs[0] ?? '', /^warn: The server sent the request xy{98,99}…?, which a stateless server may not: /);
    await transport.close();
    await settle();
  });

  test('is otherwise the one below', async () => {
    const [host, server] = createLinkedTransports();
    const seen: Json[] = [];
    const dropped = new Emitter<DroppedMessage>();
    const inner: Transport = {
      start: (receiver) => host.start(receiver),
      send: (message, hints) => void seen.push([message, { ...hints?.headers }]),
      close: () => host.close(),
      onClose: host.onClose,
      onDropped: dropped.event,
      details: { kind: 'http' },
    };
    const transport = new StatelessTransport(inner, { log: () => undefined });
    transport.send(1, { headers: { A: '1' } });
    transport.onDropped?.(({ id }) => seen.push(id ?? null));
    dropped.fire({ id: 3, isRequest: true, error: new HostError('MESSAGE_TOO_LARGE', 'x', { layer: 'transport' }) });
    transport.onClose(() => seen.push('closed'));
    assert.deepEqual(transport.details, { kind: 'http' });
    await transport.close();
    await settle();
    assert.deepEqual(seen, [[1, { A: '1' }], 3, 'closed']);
    dropped.dispose();
    await server.close();
  });
});
