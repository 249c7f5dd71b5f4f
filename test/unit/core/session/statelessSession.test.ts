import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { Deferred } from '../../../../src/core/base/async.ts';
import { isHostError, WireError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { SessionFeature } from '../../../../src/core/session/session.ts';
import { StatelessSession } from '../../../../src/core/session/statelessSession.ts';
import { decodeDiscover } from '../../../../src/core/wire/envelope.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, type ScriptedServer } from '../../../support/scriptedServer.ts';
import { discovered, heard, MODERN, modernServer } from './statelessServer.ts';

const TIMEOUT = { timeoutMs: 60_000 };

interface Opened {
  readonly session: StatelessSession;
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly logs: string[];
}

const servers: ScriptedServer[] = [];
/** Call this in each suite, because root hooks run after the leak check. */
async function closeAll(): Promise<void> {
  for (const server of servers.splice(0)) await server.transport.close();
  await settle();
}

function open(
  responders: Parameters<typeof modernServer>[0] = {},
  features: readonly SessionFeature[] = [],
  capabilities: JsonObject = {},
): Opened {
  const server = modernServer(responders);
  servers.push(server);
  const clock = new FakeClock();
  const logs: string[] = [];
  const found = decodeDiscover(discovered({ capabilities }));
  assert.ok(found);
  const session = StatelessSession.open({
    transport: server.transport,
    clock,
    features,
    log: { log: (level, message) => void logs.push(`${level}: ${message}`) },
    client: { name: 'test', title: 'Test', version: '1.0' },
    protocolVersion: MODERN,
    discovered: found,
    roundTripMs: 5,
  });
  return { session, server, clock, logs };
}

async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isHostError(error) ? `${error.code}: ${error.message}` : `no failure: ${String(error)}`;
}

/** Answers with each of these in turn. */
function inTurn(...answers: readonly Json[]): () => Json {
  let turn = 0;
  return () => answers[turn++] ?? null;
}

const ask = (inputRequests: JsonObject, requestState?: string): JsonObject => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
});
const question = {
  method: 'elicitation/create',
  params: { message: 'ok?', requestedSchema: { type: 'object', properties: {} } },
};
const done: JsonObject = { resultType: 'complete', content: [] };

suite('A request of a stateless connection', () => {
  teardown(closeAll);

  test('says itself by whom and in which revision it is made', async () => {
    const { session, server } = open({ 'tools/list': () => ({ tools: [] }) }, [
      { capabilities: { elicitation: { form: {} } } },
      { capabilities: { experimental: { mcpl: {} } }, era: 'legacy' },
    ]);
    await session.setLogLevel('warning');
    await session.request('tools/list', { _meta: { own: 1 } }, TIMEOUT);
    assert.deepEqual(server.messages[0]?.['params'], {
      _meta: {
        own: 1,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', title: 'Test', version: '1.0' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        'io.modelcontextprotocol/logLevel': 'warning',
      },
    });
    session.dispose();
  });

  test('that the revision does not have is not sent', async () => {
    const { session, server } = open();
    assert.equal(
      await failure(session.request('logging/setLevel', {}, TIMEOUT)),
      'NOT_IN_REVISION: The server speaks MCP 2026-07-28, which does not have logging/setLevel.',
    );
    assert.deepEqual(heard(server), []);
    session.dispose();
  });

  test('of the server is not answered, and logged', async () => {
    const { session, server, logs } = open({}, [{ requests: { 'roots/list': () => ({ roots: [] }) } }]);
    server.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
    server.say({ jsonrpc: '2.0', id: 2, method: 'ping' });
    await settle();
    assert.deepEqual(heard(server), []);
    assert.deepEqual(logs, [
      'warn: The server sent the request roots/list, which a stateless server may not: not answered.',
      'warn: The server sent the request ping, which a stateless server may not: not answered.',
    ]);
    session.dispose();
  });

  test('with a result of an unknown type fails', async () => {
    const { session } = open({ 'tools/call': () => ({ resultType: 'dance' }) });
    assert.match(await failure(session.request('tools/call', { name: 'a' }, TIMEOUT)), /INVALID_MESSAGE: .*"dance"/);
    session.dispose();
  });

  test('that misses a capability of this host says which', async () => {
    const data = { requiredCapabilities: { elicitation: { url: {} } } };
    for (const code of [-32021, -32003]) {
      const { session } = open({ 'tools/call': () => failWith(code, 'missing', data) });
      assert.equal(
        await failure(session.request('tools/call', { name: 'a' }, TIMEOUT)),
        'CAPABILITY_MISSING: The server needs what this host does not offer: elicitation.url.',
      );
      session.dispose();
    }
    const { session } = open({ 'tools/call': () => failWith(-32003, 'Unknown feature set', { featureSet: 'a' }) });
    assert.equal(
      await failure(session.request('tools/call', { name: 'a' }, TIMEOUT)),
      'REMOTE_ERROR: Unknown feature set',
    );
    session.dispose();
  });

  test('that fails on its version names the versions that the server supports', async () => {
    const call = async (code: number, data?: JsonObject): Promise<string> => {
      const { session } = open({ 'tools/call': () => failWith(code, 'Unsupported protocol version', data) });
      const failed = await failure(session.request('tools/call', { name: 'a' }, TIMEOUT));
      session.dispose();
      return failed;
    };
    const refused = 'UNSUPPORTED_VERSION: The server no longer accepts MCP 2026-07-28.';
    assert.deepEqual(
      [
        await call(-32022, { supported: ['2027-01-01', '2026-11-25\u202e'], requested: '2026-07-28' }),
        await call(-32004, { supported: ['2027-01-01'] }),
        await call(-32022),
        await call(-32022, { supported: Array.from({ length: 99 }, (_, index) => `v${index}`) }),
        await call(-32602, { supported: ['png', 'jpeg'] }),
      ],
      [
        `${refused} It supports 2027-01-01, 2026-11-25.`,
        `${refused} It supports 2027-01-01.`,
        refused,
        `${refused} It supports v0, v1, v2, v3, v4, v5, v6, v7, v8, v9.`,
        'REMOTE_ERROR: Unsupported protocol version',
      ],
    );
  });

  test('that is cancelled settles at once, and a late answer is ignored', async () => {
    const { session, server, logs } = open({ 'tools/call': () => NO_ANSWER });
    const source = new CancellationSource();
    const call = failure(session.request('tools/call', { name: 'a' }, { ...TIMEOUT, token: source.token }));
    await settle();
    source.cancel('user');
    assert.equal(await call, 'CANCELLED: tools/call was cancelled.');
    server.answer(1, done);
    await settle();
    assert.match(heard(server)[1] ?? '', /^notifications\/cancelled \{"requestId":1/);
    assert.deepEqual(logs, []);
    session.dispose();
  });

  test('that the server cancels fails instead of hanging', async () => {
    const { session, server } = open({ 'tools/call': () => NO_ANSWER });
    const call = failure(session.request('tools/call', { name: 'a' }, TIMEOUT));
    await settle();
    server.notify('notifications/cancelled', { requestId: 1, reason: 'overload' });
    assert.equal(await call, 'REMOTE_ERROR: The server ended the request: overload');
    session.dispose();
  });
});

suite('A request that the server answers with questions', () => {
  teardown(closeAll);

  const elicitation: SessionFeature = {
    requests: { 'elicitation/create': ({ message }) => ({ action: 'accept', content: { heard: message ?? null } }) },
  };

  test('is made again with the answers, round after round, and its state is given back to the letter', async () => {
    const state = 'ÿ opaque "1"';
    const { session, server } = open(
      {
        'tools/call': inTurn(ask({ q: question, r: question }, state), ask({ s: question }), done),
      },
      [elicitation],
    );
    assert.deepEqual(await session.request('tools/call', { name: 'a', arguments: {} }, TIMEOUT), done);
    const answer = { action: 'accept', content: { heard: 'ok?' } };
    assert.deepEqual(heard(server), [
      'tools/call {"name":"a","arguments":{}}',
      `tools/call ${JSON.stringify({ name: 'a', arguments: {}, inputResponses: { q: answer, r: answer }, requestState: state })}`,
      `tools/call ${JSON.stringify({ name: 'a', arguments: {}, inputResponses: { s: answer } })}`,
    ]);
    assert.deepEqual(
      server.messages.map((message) => message['id']),
      [1, 2, 3],
    );
    session.dispose();
  });

  test('and that only return a state is repeated, with increasing delays', async () => {
    const { session, server, clock } = open({ 'tools/call': inTurn(ask({}, '1'), ask({}, '2'), done) });
    const call = session.request('tools/call', { name: 'a' }, TIMEOUT);
    await clock.advance(99);
    assert.equal(server.messages.length, 1);
    await clock.advance(1);
    assert.equal(server.messages.length, 2);
    await clock.advance(199);
    assert.equal(server.messages.length, 2);
    await clock.advance(1);
    assert.deepEqual(await call, done);
    session.dispose();
    assert.equal(clock.waiting, 0);
  });

  test('without end is given up after ten rounds', async () => {
    const { session, server } = open({ 'tools/call': () => ask({ q: question }) }, [elicitation]);
    assert.equal(
      await failure(session.request('tools/call', { name: 'a' }, TIMEOUT)),
      'REMOTE_ERROR: The server asked for input 10 times without coming to an end, so tools/call was given up.',
    );
    assert.equal(server.messages.length, 11);
    session.dispose();
  });

  test('that are refused is given up, and what else is asked meanwhile is taken back', async () => {
    const pending = new Deferred<Json>();
    let isTakenBack = false;
    const { session, server } = open(
      {
        'tools/call': () =>
          ask({ form: question, sample: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } }),
      },
      [
        {
          requests: {
            'elicitation/create': (_, { token }) => {
              token.onCancellationRequested(() => {
                isTakenBack = true;
              });
              return pending.promise;
            },
            'sampling/createMessage': () => Promise.reject(new WireError(-1, 'User rejected sampling request')),
          },
        },
      ],
    );
    assert.match(
      await failure(session.request('tools/call', { name: 'a' }, TIMEOUT)),
      /asked for input \(sampling\/createMessage\) that it does not get: User rejected sampling request/,
    );
    assert.deepEqual([isTakenBack, server.messages.length], [true, 1]);
    session.dispose();
  });

  test('without a handler, or without a declared capability, fails', async () => {
    const { session } = open({
      'tools/call': () => ask({ q: { method: 'tasks/list', params: {} } }),
      'resources/list': () => ask({ q: question }),
      'prompts/get': () => ({ resultType: 'input_required', inputRequests: [1] }),
    });
    assert.match(await failure(session.request('tools/call', { name: 'a' }, TIMEOUT)), /tasks\/list/);
    assert.match(await failure(session.request('resources/list', {}, TIMEOUT)), /^INVALID_MESSAGE/);
    assert.match(await failure(session.request('prompts/get', { name: 'p' }, TIMEOUT)), /^INVALID_MESSAGE/);
    session.dispose();
  });

  test('is not made again when it is cancelled while the user is asked', async () => {
    const { session, server } = open({ 'tools/call': () => ask({ q: question }) }, [
      { requests: { 'elicitation/create': () => new Promise<Json>(() => undefined) } },
    ]);
    const source = new CancellationSource();
    const call = failure(session.request('tools/call', { name: 'a' }, { ...TIMEOUT, token: source.token }));
    await settle();
    source.cancel();
    assert.equal(await call, 'CANCELLED: tools/call was cancelled.');
    await settle();
    assert.equal(server.messages.length, 1);
    session.dispose();
  });
});

suite('Notifications of a stateless server', () => {
  teardown(closeAll);

  const capabilities = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } };
  const told: string[] = [];
  const listener: SessionFeature = {
    notifications: {
      'notifications/tools/list_changed': () => void told.push('tools'),
      'notifications/resources/list_changed': () => void told.push('resources'),
      'notifications/resources/updated': ({ uri }) => void told.push(String(uri)),
    },
  };
  setup(() => (told.length = 0));

  const meta = (id: string | number): JsonObject => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
  /** Acknowledges everything that was requested, like a server that supports all of it. */
  const grant = (server: ScriptedServer, id: string | number, notifications?: Json): void => {
    const asked = server.messages.find((message) => String(message['id']) === String(id));
    const params = asked?.['params'] as JsonObject;
    server.notify('notifications/subscriptions/acknowledged', {
      notifications: notifications ?? params['notifications'] ?? null,
      ...meta(id),
    });
  };
  const listening = (): Opened => open({ 'subscriptions/listen': () => NO_ANSWER }, [listener], capabilities);

  test('is listened for if it declares them', async () => {
    const { session, server, logs } = listening();
    await settle();
    assert.deepEqual(heard(server), [
      'subscriptions/listen {"notifications":{"toolsListChanged":true,"resourcesListChanged":true}}',
    ]);
    server.notify('notifications/tools/list_changed', meta(1));
    grant(server, 1);
    server.notify('notifications/tools/list_changed', meta(1));
    server.notify('notifications/resources/list_changed', meta('1'));
    server.notify('notifications/tools/list_changed', meta(7));
    await settle();
    assert.deepEqual(told, ['tools', 'resources'], 'not before it was acknowledged, and not of another subscription');
    assert.deepEqual(logs, ['debug: notifications/tools/list_changed came for a subscription that is not open.']);
    session.dispose();

    const quiet = open({}, [listener], { tools: {} });
    await settle();
    assert.deepEqual(heard(quiet.server), []);
    quiet.session.dispose();
  });

  test('of a resource is heard on a new stream, and the old one is closed when the new one is heard', async () => {
    const { session, server } = listening();
    await settle();
    grant(server, 1);
    await settle();
    const subscribed = Promise.all([session.subscribe('mem://a', TIMEOUT), session.subscribe('mem://b', TIMEOUT)]);
    await settle();
    server.notify('notifications/tools/list_changed', meta(1));
    grant(server, 2);
    await subscribed;
    server.notify('notifications/resources/updated', { uri: 'mem://a', ...meta(2) });
    server.notify('notifications/resources/updated', { uri: 'mem://a', ...meta(1) });
    await settle();
    assert.deepEqual(told, ['tools', 'mem://a'], 'each is told once');
    assert.deepEqual(heard(server).slice(1), [
      'subscriptions/listen {"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["mem://a","mem://b"]}}',
      'notifications/cancelled {"requestId":1,"reason":"Cancelled by the user."}',
    ]);
    session.dispose();
  });

  test('of a resource is not promised where the server leaves it out', async () => {
    const { session, server } = listening();
    await settle();
    grant(server, 1);
    await settle();
    const subscribed = failure(session.subscribe('mem://a', TIMEOUT));
    await settle();
    grant(server, 2, { toolsListChanged: true });
    assert.equal(await subscribed, 'CAPABILITY_MISSING: The server does not announce changes of mem://a.');
    session.dispose();
  });

  test('of a resource that the server refuses costs none of the others', async () => {
    const { session, server, clock } = listening();
    await settle();
    grant(server, 1);
    await settle();
    const subscribed = failure(session.subscribe('mem://a', TIMEOUT));
    await settle();
    server.say({ jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'there is no mem://a' } });
    assert.equal(await subscribed, 'REMOTE_ERROR: there is no mem://a');
    server.answer(1, { resultType: 'complete' });
    await clock.advance(1_000);
    assert.deepEqual(heard(server).slice(2), [
      'subscriptions/listen {"notifications":{"toolsListChanged":true,"resourcesListChanged":true}}',
    ]);
    session.dispose();
  });

  test('is asked for again when the stream ends, later each time, and everything may have changed meanwhile', async () => {
    const { session, server, clock } = listening();
    await settle();
    grant(server, 1);
    await settle();
    server.answer(1, { resultType: 'complete' });
    await clock.advance(999);
    assert.equal(server.messages.length, 1);
    await clock.advance(1);
    assert.equal(server.messages.length, 2);
    server.say({ jsonrpc: '2.0', id: 2, error: { code: -32000, message: 'restarting' } });
    await clock.advance(1_999);
    assert.equal(server.messages.length, 2);
    await clock.advance(1);
    assert.equal(server.messages.length, 3);
    grant(server, 3);
    await settle();
    assert.deepEqual(told, ['tools', 'resources']);
    session.dispose();
    assert.equal(clock.waiting, 0);
  });

  test('is not asked for again where the server does not know the request', async () => {
    const { session, server, clock, logs } = open({}, [listener], capabilities);
    await clock.advance(120_000);
    assert.equal(server.messages.length, 1);
    assert.deepEqual(logs, ['warn: The server announces no changes: no such method']);
    session.dispose();
  });
});
