import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { toDisposable } from '../../../../src/core/base/disposable.ts';
import { HostError, isHostError } from '../../../../src/core/base/errors.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { InitializedSession, type SessionOptions } from '../../../../src/core/session/initializedSession.ts';
import type { SessionFeature } from '../../../../src/core/session/session.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { watchDisposables } from '../../../support/leaks.ts';
import { Dropped, failWith, initializeResult, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { heard, unsupported } from './statelessServer.ts';

const TIMEOUT = { timeoutMs: 60_000 };
const DIALECT = { server: { name: 'short', version: '1' }, serverCapabilities: { supportsToolDiscovery: true } };
const DIALECT_PARAMS =
  '{"mcpVersion":"2025-06-18","clientCapabilities":{"supportsProgress":true,"supportsCancellation":true}}';

type Responders = ConstructorParameters<typeof ScriptedServer>[0];

class Bench {
  readonly clock = new FakeClock();
  readonly server: ScriptedServer;
  readonly source = new CancellationSource();
  readonly logs: string[] = [];
  readonly order: string[] = [];
  session: InitializedSession | undefined;

  constructor(responders: Responders = {}) {
    this.server = new ScriptedServer(responders);
  }

  /** Opens a session. Returns the failure. */
  async open(options: Partial<SessionOptions> = {}): Promise<HostError | undefined> {
    const opening = InitializedSession.open({
      transport: this.server.transport,
      clock: this.clock,
      log: { log: (level, message) => void this.logs.push(`${level}: ${message}`) },
      client: { name: 'test', title: 'Test', version: '0' },
      startTimeoutMs: 60_000,
      features: [],
      token: this.source.token,
      onNegotiated: (version) => this.order.push(`negotiated ${version}`),
      ...options,
    });
    try {
      this.session = await opening;
      await settle();
      return undefined;
    } catch (error) {
      assert.ok(error instanceof Error);
      return isHostError(error) ? error : new HostError('INTERNAL', error.message, { layer: 'host' });
    }
  }

  get opened(): InitializedSession {
    return this.session ?? assert.fail('The session is not open.');
  }

  /** All messages to the server with their ids, without the standard handshake. */
  heard(): readonly string[] {
    return this.server.messages.map((message, index) => {
      const { id, method, params } = message;
      if (method === 'initialize' && (params as JsonObject)['mcpVersion'] !== undefined)
        return `${String(id)} initialize ${JSON.stringify(params)}`;
      return `${String(id)} ${heard(this.server)[index] ?? ''}`;
    });
  }

  async close(): Promise<void> {
    this.session?.dispose();
    await this.server.transport.close();
    await settle();
    assert.equal(this.clock.waiting, 0);
  }
}

/** All members of an error. */
function details(error: HostError | undefined): JsonObject {
  assert.ok(error !== undefined);
  const { code, message, layer, rpcCode, category, retryAt, suggestion, effect, data, cause } = error;
  const all = { code, message, layer, rpcCode, category, retryAt, suggestion, effect, data, cause: isHostError(cause) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JsonObject;
}

async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isHostError(error) ? `${error.code}: ${error.message}` : `no failure: ${String(error)}`;
}

suite('A session that begins with initialize', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('is opened step by step', async () => {
    bench = new Bench();
    const { order } = bench;
    const send = bench.server.transport.send.bind(bench.server.transport);
    bench.server.transport.send = (message, hints) => {
      order.push(`sent ${String((message as JsonObject)['method'])}`);
      send(message, hints);
    };
    const feature = (name: string, extra: SessionFeature = {}): SessionFeature => ({
      started: () => {
        order.push(`${name} started`);
        return toDisposable(() => order.push(`${name} over`));
      },
      ...extra,
    });
    const features = [feature('a'), feature('old', { era: 'legacy' }), feature('new', { era: 'modern' }), {}];
    await bench.open({ features, onOpened: ({ handshake }) => void order.push(`opened ${handshake.era}`) });
    bench.opened.dispose();
    assert.deepEqual(order, [
      'sent initialize',
      'negotiated 2025-06-18',
      'sent notifications/initialized',
      'opened legacy',
      'a started',
      'old started',
      'old over',
      'a over',
    ]);
  });

  test('declares what the features of its kind declare, and goes on with the ids of the connection', async () => {
    bench = new Bench();
    const features: readonly SessionFeature[] = [
      { capabilities: { roots: { listChanged: true }, experimental: { a: {} } } },
      { capabilities: { experimental: { b: { c: 1 } } }, era: 'legacy' },
      { capabilities: { sampling: {} }, era: 'modern' },
      {},
    ];
    await bench.open({ features, lastId: 10 });
    assert.deepEqual(bench.server.messages[0], {
      jsonrpc: '2.0',
      id: 11,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: { roots: { listChanged: true }, experimental: { a: {}, b: { c: 1 } } },
        clientInfo: { name: 'test', title: 'Test', version: '0' },
      },
    });
  });

  test('knows how long the answer took, and every revision that may be agreed', async () => {
    for (const protocolVersion of ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      bench = new Bench({ initialize: () => NO_ANSWER });
      const opening = bench.open();
      await bench.clock.advance(7);
      bench.server.answer(1, initializeResult({ protocolVersion }));
      await opening;
      const { handshake, codec } = bench.opened;
      assert.deepEqual(
        [handshake.protocolVersion, handshake.roundTripMs, handshake.isDialect, codec.version],
        [protocolVersion, 7, false, protocolVersion.replace('2024-10-07', '2024-11-05')],
      );
      await bench.close();
    }
  });

  test('asks, notifies and ends in the words of the standard', async () => {
    const done = (): Json => ({});
    bench = new Bench({ 'logging/setLevel': done, 'resources/subscribe': done, 'resources/unsubscribe': done });
    const renewed = new Emitter<Json>();
    Object.assign(bench.server.transport, { onRenewed: renewed.event });
    await bench.open();
    const session = bench.opened;
    session.onRenewed(() => bench.order.push('renewed'));
    session.onClose(({ error }) => bench.order.push(`closed ${String(error?.code)}`));
    await session.setLogLevel('error', TIMEOUT);
    await session.subscribe('mem://a', TIMEOUT);
    await session.unsubscribe('mem://a', TIMEOUT);
    session.notify('notifications/roots/list_changed', { a: 1 });
    renewed.fire({});
    assert.equal(session.activity.received, 4);
    assert.equal(session.stopping.isCancellationRequested, false);
    bench.source.cancel();
    assert.equal(session.stopping.isCancellationRequested, true);
    bench.server.crash(new HostError('SERVER_EXITED', 'gone', { layer: 'process' }));
    await settle();
    assert.deepEqual(bench.heard().slice(2), [
      '2 logging/setLevel {"level":"error"}',
      '3 resources/subscribe {"uri":"mem://a"}',
      '4 resources/unsubscribe {"uri":"mem://a"}',
      'undefined notifications/roots/list_changed {"a":1}',
    ]);
    assert.deepEqual(bench.order.slice(1), ['renewed', 'closed SERVER_EXITED']);
    assert.equal(session.transport, bench.server.transport);
    renewed.dispose();
  });

  test('does not send what its revision lacks, and reads no result that the revision does not allow', async () => {
    bench = new Bench({ 'prompts/list': () => ({ prompts: 7 }), 'own/thing': () => ({ a: 1 }), 'tools/call': () => 7 });
    await bench.open();
    const ask = (method: string): Promise<Json> => bench.opened.request(method, {}, TIMEOUT);
    assert.equal(
      await failure(ask('tasks/list')),
      'NOT_IN_REVISION: The server speaks MCP 2025-06-18, which does not have tasks/list.',
    );
    assert.equal(
      await failure(ask('prompts/list')),
      'INVALID_MESSAGE: The answer to prompts/list cannot be read: the answer holds no list of prompts',
    );
    assert.deepEqual(await ask('own/thing'), { a: 1 });
    assert.equal(await ask('tools/call'), 7, 'a call is read by its caller');
    assert.equal(await bench.opened.decoded('own/thing', {}, TIMEOUT, (result) => JSON.stringify(result)), '{"a":1}');
    assert.equal(
      bench.server.messages.some(({ method }) => method === 'tasks/list'),
      false,
    );
  });
});

suite('A session that does not come about', () => {
  let bench: Bench;
  teardown(() => bench.close());
  /** The versions in sent `initialize` requests. */
  const versions = (): readonly string[] => heard(bench.server).map((line) => line.replace('initialize ', ''));

  test('because of the version is asked for once more with one that the server names', async () => {
    const rows: Readonly<Record<string, readonly [Json, readonly string[]]>> = {
      'an older one': [{ supported: ['2024-11-05'] }, ['2025-11-25', '2024-11-05']],
      'the newest of several': [
        { supported: ['2024-11-05', '2025-03-26', '1999-01-01'] },
        ['2025-11-25', '2025-03-26'],
      ],
      'the one that was offered': [{ supported: ['2025-11-25'] }, ['2025-11-25']],
      'none that is known': [{ supported: ['1999-01-01'] }, ['2025-11-25']],
      none: [{}, ['2025-11-25']],
    };
    for (const [what, [data, asked]] of Object.entries(rows)) {
      bench = new Bench({ initialize: () => failWith(-32000, 'no', data) });
      assert.equal((await bench.open())?.code, 'HANDSHAKE_FAILED', what);
      assert.deepEqual(versions(), asked, what);
      await bench.close();
    }
  });

  test('says why, what happened to it, and what to do', async () => {
    const failing = async (answer: Json | Dropped | ReturnType<typeof failWith>): Promise<JsonObject> => {
      bench = new Bench({ initialize: () => answer });
      const error = details(await bench.open());
      await bench.close();
      return error;
    };
    const busy = { layer: 'transport', category: 'http-503', retryAt: 5, suggestion: 'Wait.' } as const;
    const protocol = { layer: 'protocol', effect: 'none' };
    assert.deepEqual(await failing(failWith(-32000, 'no\u202e key', { why: 1 })), {
      code: 'HANDSHAKE_FAILED',
      message: 'The server refused the handshake: no key',
      ...protocol,
      rpcCode: -32000,
      suggestion: 'See its log.',
      data: { why: 1 },
      cause: true,
    });
    assert.deepEqual(await failing(new Dropped(new HostError('REMOTE_ERROR', 'HTTP 503', busy))), {
      code: 'HANDSHAKE_FAILED',
      message: 'The server refused the handshake: HTTP 503',
      ...protocol,
      category: 'http-503',
      retryAt: 5,
      suggestion: 'Wait.',
      cause: true,
    });
    assert.deepEqual(await failing(new Dropped(new HostError('SIGN_IN_REQUIRED', 'Sign in.', { layer: 'policy' }))), {
      code: 'SIGN_IN_REQUIRED',
      message: 'Sign in.',
      layer: 'policy',
      effect: 'unknown',
      cause: false,
    });
    assert.deepEqual(await failing(initializeResult({ protocolVersion: '1999\u202e-01' })), {
      code: 'UNSUPPORTED_VERSION',
      message: 'The server speaks MCP 1999-01; this host offered 2025-11-25.',
      ...protocol,
      suggestion: 'Update the server, or this extension.',
      cause: false,
    });
    assert.deepEqual(await failing([]), {
      code: 'HANDSHAKE_FAILED',
      message: 'The server is not an MCP server: its answer to "initialize" is not an object.',
      ...protocol,
      suggestion: 'Check the command in the settings.',
      cause: false,
    });
  });

  test('in time says how long that is', async () => {
    bench = new Bench({ initialize: () => NO_ANSWER });
    const opening = bench.open({ startTimeoutMs: 2_500 });
    await bench.clock.advance(2_499);
    assert.equal(bench.clock.waiting, 1);
    await bench.clock.advance(1);
    assert.deepEqual(details(await opening), {
      code: 'HANDSHAKE_FAILED',
      message: 'The server did not answer "initialize" within 2.5 seconds.',
      layer: 'protocol',
      effect: 'none',
      suggestion: 'See its log; raise "timeouts.start" if it is slow to start.',
      cause: true,
    });
    assert.deepEqual(versions(), ['2025-11-25']);
  });

  test('because it is cancelled ends at once', async () => {
    bench = new Bench({ initialize: () => NO_ANSWER });
    const opening = bench.open();
    await settle();
    bench.source.cancel();
    assert.equal((await opening)?.code, 'CANCELLED');
  });

  test('answers nothing any more', async () => {
    const failures: Readonly<Record<string, () => Promise<HostError | undefined>>> = {
      refused: () => {
        bench = new Bench({ initialize: () => failWith(-32000, 'no') });
        return bench.open();
      },
      'refused in the dialect': () => {
        bench = new Bench({ initialize: () => failWith(-32000, 'no') });
        return bench.open({ dialect: 'force' });
      },
      'not in words of the dialect': () => {
        bench = new Bench({ initialize: () => 7 });
        return bench.open({ dialect: 'force' });
      },
      'a feature that cannot start': () => {
        bench = new Bench();
        return bench.open({
          features: [
            {
              started: () => {
                throw new Error('no');
              },
            },
          ],
        });
      },
    };
    for (const [what, fail] of Object.entries(failures)) {
      assert.ok((await fail()) !== undefined, what);
      const before = bench.server.messages.length;
      bench.server.say({ jsonrpc: '2.0', id: 'p', method: 'ping' });
      await settle();
      assert.deepEqual([bench.server.messages.length, bench.clock.waiting], [before, 0], what);
      await bench.close();
    }
  });
});

suite('A session with a server of the short dialect', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('that answers in its own words is not asked twice', async () => {
    bench = new Bench({ initialize: () => DIALECT, 'tools/list': () => ['a'] });
    await bench.open();
    assert.deepEqual(await bench.opened.request('tools/list', {}, TIMEOUT), {
      tools: [{ name: 'a', inputSchema: { type: 'object' } }],
    });
    assert.deepEqual(bench.heard(), ['1 initialize 2025-11-25', 'undefined initialized', '3 tools/list']);
    const { handshake, transport, codec } = bench.opened;
    assert.deepEqual([handshake.isDialect, handshake.info.name], [true, 'short']);
    assert.notEqual(transport, bench.server.transport);
    assert.equal(codec.lacks('prompts/list', 'toServer'), true);
  });

  test('leaves nothing behind', async () => {
    const watch = watchDisposables();
    bench = new Bench({ initialize: () => DIALECT });
    await bench.open();
    await bench.close();
    bench.source.dispose();
    assert.deepEqual(watch.end(), []);
  });

  test('that misses its own words is asked once more in them', async () => {
    bench = new Bench({
      initialize: ({ mcpVersion }) => (mcpVersion === undefined ? failWith(-32602, 'mcpVersion is missing') : DIALECT),
    });
    assert.equal(await bench.open(), undefined);
    assert.deepEqual(bench.heard(), [
      '1 initialize 2025-11-25',
      `2 initialize ${DIALECT_PARAMS}`,
      'undefined initialized',
    ]);
    assert.equal(bench.opened.handshake.isDialect, true);
  });

  test('that refuses them too has the last word on the standard’s', async () => {
    let asked = 0;
    bench = new Bench({ initialize: () => failWith(-32602, `refusal ${++asked}`) });
    const error = await bench.open();
    assert.equal(error?.message, 'The server refused the handshake: refusal 1');
    assert.equal(asked, 2);
  });

  test('is not looked for after a failure that says nothing of it, or where the settings say so', async () => {
    const rows: readonly (readonly [SessionOptions['dialect'], ReturnType<typeof failWith> | Json | Dropped])[] = [
      ['auto', failWith(-32000, 'no key')],
      ['auto', unsupported('1999-01-01')],
      ['auto', new Dropped(new HostError('REMOTE_ERROR', 'HTTP 400: mcpVersion', { layer: 'transport' }))],
      ['auto', new Dropped(new HostError('SIGN_IN_REQUIRED', 'mcpVersion', { layer: 'policy', rpcCode: -32602 }))],
      ['off', failWith(-32602, 'mcpVersion')],
      ['off', DIALECT],
    ];
    for (const [dialect, answer] of rows) {
      bench = new Bench({ initialize: () => answer });
      assert.ok((await bench.open({ dialect })) !== undefined);
      assert.deepEqual(bench.heard(), ['1 initialize 2025-11-25']);
      await bench.close();
    }
  });

  test('is spoken to in it at once where the settings say so', async () => {
    bench = new Bench({ initialize: () => DIALECT });
    await bench.open({ dialect: 'force', lastId: 4 });
    assert.deepEqual(bench.heard(), [`5 initialize ${DIALECT_PARAMS}`, 'undefined initialized']);
  });
});

suite('A tool call of a session', () => {
  let bench: Bench;
  teardown(() => bench.close());
  const call = (): Promise<Json> => bench.opened.request('tools/call', { name: 't', arguments: { a: 1 } }, TIMEOUT);
  const calls = (): readonly string[] =>
    bench.server.messages.map(({ method }) => String(method)).filter((method) => method.startsWith('tools/'));

  test('is made in the words of the dialect where the server knows no others', async () => {
    bench = new Bench({ 'tools/invoke': () => ({ status: 'success', output: 'Sunny' }) });
    await bench.open();
    assert.deepEqual(await call(), { content: [{ type: 'text', text: 'Sunny' }] });
    await call();
    assert.deepEqual(calls(), ['tools/call', 'tools/invoke', 'tools/invoke']);
  });

  test('is not where one was made in those of the standard before', async () => {
    bench = new Bench({ 'tools/call': () => ({ content: [] }) });
    await bench.open();
    await call();
    bench.server.on('tools/call', () => failWith(-32601, 'no such method'));
    assert.equal(await failure(call()), 'REMOTE_ERROR: no such method');
    assert.deepEqual(calls(), ['tools/call', 'tools/call']);
  });

  test('is not where the dialect is off', async () => {
    bench = new Bench({ 'tools/invoke': () => ({ status: 'success' }) });
    await bench.open({ dialect: 'off' });
    assert.equal(await failure(call()), 'REMOTE_ERROR: no such method');
    assert.deepEqual(calls(), ['tools/call']);
  });

  test('of a server of the dialect is translated once', async () => {
    bench = new Bench({ initialize: () => DIALECT });
    await bench.open();
    assert.equal(await failure(call()), 'REMOTE_ERROR: no such method');
    assert.deepEqual(calls(), ['tools/invoke']);
  });
});
