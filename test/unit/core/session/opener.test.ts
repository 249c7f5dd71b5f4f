import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { LEGACY_VERDICT_MS } from '../../../../src/core/session/openingPlan.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { Dropped, failWith, initializeResult, NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { exited, TestHost } from '../../../support/testHost.ts';
import { discovered, heard, modernServer, unsupported } from './statelessServer.ts';

const node = { command: 'node', enabled: true };
const remote = { url: 'https://a.test/mcp', enabled: true };
const MCPL = { experimental: { mcpl: { version: '0.2' } }, tools: {} };
const INITIALIZED = ['initialize 2025-11-25', 'notifications/initialized', 'tools/list'];

/** A host without remembered verdicts. */
function asking(storage = memoryStorage()): TestHost {
  const t = new TestHost(storage);
  t.era = undefined;
  return t;
}

/** The messages of each connection, in order, and whether it has ended. */
function show(t: TestHost): readonly string[] {
  return t.servers.map((server, index) => {
    const connection = t.connections[index];
    const kind = connection?.kind === 'remote' ? `${connection.transport}: ` : '';
    return `${kind}${heard(server).join(', ')}${server.closed ? ' (closed)' : ''}`;
  });
}

/** An HTTP failure, as the transport reports it. */
function http(status: number): Dropped {
  return new Dropped(
    new HostError('REMOTE_ERROR', `HTTP ${status}`, { layer: 'transport', category: `http-${status}` }),
  );
}

function stateOf(t: TestHost): string {
  const state = t.host.server('a')?.state;
  if (state?.kind === 'failed') return `${state.error.code}: ${state.error.message}`;
  return state?.kind === 'running' ? `${state.connection.era} ${state.protocolVersion}` : String(state?.kind);
}

suite('Asking a process what it speaks', () => {
  const legacyAnswers = {
    'an unknown method': failWith(-32601, 'Method not found'),
    'any other error': failWith(-32602, 'Invalid request parameters'),
    'a result of another kind': { hello: 'there' },
    'a result that is no object': 'hello',
    'older revisions': unsupported('2025-06-18', '2024-11-05'),
    'a list of older revisions': discovered({ supportedVersions: ['2025-11-25'] }),
  };
  for (const [what, answer] of Object.entries(legacyAnswers))
    test(`${what} in answer to the question means initialize, in the same process`, async () => {
      const t = asking();
      t.connect = () => new ScriptedServer({ 'server/discover': () => answer });
      await t.user({ a: node });
      assert.deepEqual(show(t), [`server/discover, ${INITIALIZED.join(', ')}`]);
      assert.equal(stateOf(t), 'legacy 2025-06-18');
      const ids = t.server.messages.map((message: JsonObject) => message['id']);
      assert.deepEqual(ids, [1, 2, undefined, 3], 'no id is used twice on a connection');
      await t.host.close();
    });

  test('an error without an id answers the question', async () => {
    const t = asking();
    t.connect = () => {
      const server: ScriptedServer = new ScriptedServer({
        'server/discover': () => {
          server.say({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } });
          return NO_ANSWER;
        },
      });
      return server;
    };
    await t.user({ a: node });
    assert.deepEqual(show(t), [`server/discover, ${INITIALIZED.join(', ')}`]);
    await t.host.close();
  });

  test('a process that answers with too large a message gets initialize', async () => {
    const t = asking();
    const large = new HostError('MESSAGE_TOO_LARGE', 'The message is too large.', { layer: 'transport' });
    t.connect = () => new ScriptedServer({ 'server/discover': () => new Dropped(large) });
    await t.user({ a: node });
    assert.deepEqual(show(t), [`server/discover, ${INITIALIZED.join(', ')}`]);
    await t.host.close();
  });

  test('a process that ignores the question gets initialize after three seconds, and nothing else before', async () => {
    const t = asking();
    t.connect = () => new ScriptedServer({ 'server/discover': () => NO_ANSWER });
    await t.user({ a: node });
    await t.clock.advance(2_999);
    assert.deepEqual(show(t), ['server/discover']);
    await t.clock.advance(1);
    assert.deepEqual(show(t), [`server/discover, ${INITIALIZED.join(', ')}`]);
    assert.equal(stateOf(t), 'legacy 2025-06-18');
    await t.host.close();
  });

  test('a launcher gets half a minute for the question and the whole start time for initialize', async () => {
    const t = asking();
    const held: ScriptedServer[] = [];
    t.connect = () => {
      const server = new ScriptedServer({ 'server/discover': () => NO_ANSWER, initialize: () => NO_ANSWER });
      held.push(server);
      return server;
    };
    await t.user({ a: { command: '/usr/bin/npx', args: ['-y', 'server'], enabled: true } });
    await t.clock.advance(29_999);
    assert.deepEqual(show(t), ['server/discover']);
    await t.clock.advance(59_000);
    assert.deepEqual(show(t), ['server/discover, initialize 2025-11-25']);
    held[0]?.answer(11, initializeResult());
    await settle();
    assert.equal(stateOf(t), 'legacy 2025-06-18');
    await t.host.close();
  });

  for (const [when, responder] of [
    ['at the question', 'server/discover'],
    ['at initialize after it', 'initialize'],
  ] as const)
    test(`a process that ends ${when} is started once more, with initialize first`, async () => {
      const t = asking();
      t.connect = () => {
        const server: ScriptedServer = new ScriptedServer({
          'server/discover': () => failWith(-32601, 'Method not found'),
        });
        if (t.servers.length === 0)
          server.on(responder, () => {
            server.crash(exited());
            return NO_ANSWER;
          });
        return server;
      };
      await t.user({ a: node });
      assert.equal(t.servers.length, 2);
      assert.deepEqual(show(t)[1], INITIALIZED.join(', '));
      await t.host.restart('a');
      assert.deepEqual(show(t).slice(2), [INITIALIZED.join(', ')], 'the next start knows it');
      await t.host.close();
    });

  test('a process that ends at the question and then knows no initialize is used without', async () => {
    const t = asking();
    t.connect = () => {
      const server = modernServer();
      if (t.servers.length === 0)
        server.on('server/discover', () => {
          server.crash(exited());
          return NO_ANSWER;
        });
      return server;
    };
    await t.user({ a: node });
    assert.equal(show(t)[1], 'initialize 2025-11-25, server/discover, tools/list');
    assert.equal(stateOf(t), 'modern 2026-07-28');
    await t.host.close();
  });

  test('a process that loses the message after the question is replaced, when it is gone', async () => {
    const t = asking();
    let release: () => void = () => undefined;
    t.connect = () => {
      if (t.servers.length > 0) return new ScriptedServer();
      const server = new ScriptedServer({ initialize: () => NO_ANSWER });
      server.heldOpen = new Promise((resolve) => (release = resolve));
      return server;
    };
    await t.user({ a: node });
    await t.clock.advance(10_000);
    assert.equal(t.servers.length, 1, 'the silent process has not ended');
    release();
    await settle();
    assert.deepEqual(show(t), ['server/discover, initialize 2025-11-25 (closed)', INITIALIZED.join(', ')]);
    await t.host.restart('a');
    assert.deepEqual(show(t).slice(2), [INITIALIZED.join(', ')], 'it answered the question: that is remembered');
    await t.host.close();
  });

  test('a process that always exits is started twice, and the second failure is reported', async () => {
    const t = asking();
    t.connect = () => {
      const end = (): typeof NO_ANSWER => {
        server.crash(exited());
        return NO_ANSWER;
      };
      const server: ScriptedServer = new ScriptedServer({ 'server/discover': end, initialize: end });
      return server;
    };
    await t.user({ a: node });
    assert.equal(t.servers.length, 2);
    assert.match(stateOf(t), /^CONNECTION_CLOSED: The connection closed before the server answered initialize/);
    await t.host.close();
  });

  for (const [how, data, said] of [
    [
      'and wrote why',
      { exitCode: 3, signal: null, stderr: ['ready', 'API_KEY is', 'not set', 'bye'] },
      '(exit code 3): “API_KEY is / not set / bye”.',
    ],
    ['silently', { exitCode: 0, signal: null, stderr: [] }, '(exit code 0), without an error message.'],
    ['by a signal', { exitCode: null, signal: 'SIGKILL', stderr: ['x'] }, '(signal SIGKILL): “x”.'],
  ] as const)
    test(`a process that exits during startup ${how} fails with that, and not with a closed connection`, async () => {
      const t = asking();
      t.connect = () => {
        const exit = new HostError('SERVER_EXITED', 'It exited.', {
          layer: 'process',
          data,
          suggestion: 'See its log.',
        });
        const end = (): typeof NO_ANSWER => {
          server.crash(exit);
          return NO_ANSWER;
        };
        const server: ScriptedServer = new ScriptedServer({ 'server/discover': end, initialize: end });
        return server;
      };
      await t.user({ a: node });
      assert.equal(stateOf(t), `CONNECTION_CLOSED: The server stopped during startup ${said}`);
      await t.host.close();
    });

  test('a process that refuses initialize is not started again', async () => {
    const t = asking();
    t.connect = () => new ScriptedServer({ initialize: () => failWith(-32000, 'API_KEY is missing') });
    await t.user({ a: node });
    assert.deepEqual(show(t), ['server/discover, initialize 2025-11-25 (closed)']);
    assert.equal(stateOf(t), 'HANDSHAKE_FAILED: The server refused the handshake: API_KEY is missing');
    await t.host.close();
  });

  test('a server that is stopped while it is asked is not started again', async () => {
    const t = asking();
    t.connect = () => new ScriptedServer({ 'server/discover': () => NO_ANSWER });
    await t.user({ a: node });
    await t.host.stop('a');
    await t.clock.advance(60_000);
    assert.equal(t.servers.length, 1);
    await t.host.close();
  });

  test('the answer of the stateless revision means no initialize', async () => {
    const t = asking();
    t.connect = () => modernServer();
    await t.user({ a: node });
    assert.deepEqual(show(t), ['server/discover, tools/list']);
    assert.equal(stateOf(t), 'modern 2026-07-28');
    await t.host.close();
  });

  test('what the process says before its handshake is kept for the session', async () => {
    const t = asking();
    t.connect = () => {
      const server: ScriptedServer = new ScriptedServer({
        'server/discover': () => {
          server.say({ jsonrpc: '2.0', id: 'p', method: 'ping' });
          return failWith(-32601, 'Method not found');
        },
      });
      return server;
    };
    await t.user({ a: node });
    assert.deepEqual(show(t), [
      'server/discover, initialize 2025-11-25, answer to "p", notifications/initialized, tools/list',
    ]);
    await t.host.close();
  });

  test('unknown revisions are a failure that names them', async () => {
    const t = asking();
    t.connect = () => modernServer({ 'server/discover': () => unsupported('2099-01-01') });
    await t.user({ a: node });
    assert.equal(
      stateOf(t),
      'UNSUPPORTED_VERSION: The server speaks MCP 2099-01-01; this host speaks 2026-07-28 and older.',
    );
    assert.deepEqual(show(t), ['server/discover (closed)']);
    await t.host.close();
  });

  test('a server that announces MCPL is opened with initialize, though it could do without', async () => {
    const t = asking();
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({ capabilities: MCPL }),
        'server/discover': () => discovered({ capabilities: MCPL }),
      });
    await t.user({ a: node });
    assert.equal(stateOf(t), 'legacy 2025-06-18');
    assert.equal(t.servers.length, 1);
    await t.host.close();
  });

  test('a server of MCPL that can only do without initialize is a plain server, with a warning', async () => {
    const t = asking();
    t.connect = () => modernServer({ 'server/discover': () => discovered({ capabilities: MCPL }) });
    await t.user({ a: node });
    assert.equal(stateOf(t), 'modern 2026-07-28');
    assert.deepEqual(show(t), ['server/discover, initialize 2025-11-25, server/discover, tools/list']);
    assert.equal(t.logs.filter((line) => /warn: The server speaks MCPL, which needs/.test(line)).length, 1);
    await t.host.close();
  });
});

suite('A slow machine', () => {
  /** Answers the probe when the test says so, and everything else at once. */
  function slow(
    answers: ConstructorParameters<typeof ScriptedServer>[0] = {},
  ): readonly [TestHost, () => ScriptedServer] {
    const t = asking();
    t.connect = () => new ScriptedServer({ ...answers, 'server/discover': () => NO_ANSWER });
    return [t, () => t.server];
  }
  const remembered = async (t: TestHost): Promise<string> => {
    const before = t.servers.length;
    await t.host.restart('a');
    const [first = ''] = heard(t.servers[before] ?? assert.fail());
    return first.split(' ')[0] ?? '';
  };

  test('does not decide what is remembered: silence counts when two starts agree', async () => {
    const [t] = slow();
    await t.user({ a: node });
    await t.clock.advance(3_000);
    const second = t.host.restart('a');
    await t.clock.advance(3_000);
    await second;
    assert.deepEqual(show(t), [
      `server/discover, ${INITIALIZED.join(', ')} (closed)`,
      `server/discover, ${INITIALIZED.join(', ')}`,
    ]);
    assert.equal(await remembered(t), 'initialize');
    await t.host.close();
  });

  test('may delay the answer of an older server past initialize: it counts as any answer', async () => {
    const [t, server] = slow();
    await t.user({ a: node });
    await t.clock.advance(3_000);
    server().say({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } });
    await settle();
    assert.equal(t.logs.filter((line) => line.includes('Ignored')).join(), '');
    assert.equal(await remembered(t), 'initialize');
    await t.host.close();
  });

  test('may delay the answer of a newer server: this session goes on, and the next start asks first', async () => {
    const [t, server] = slow();
    await t.user({ a: node });
    await t.clock.advance(3_000);
    server().answer(1, discovered());
    await settle();
    assert.equal(stateOf(t), 'legacy 2025-06-18');
    t.connect = () => modernServer();
    assert.equal(await remembered(t), 'server/discover');
    assert.equal(stateOf(t), 'modern 2026-07-28');
    await t.host.close();
  });

  test('may delay a server that knows no initialize: it is used without', async () => {
    const [t, server] = slow({ initialize: () => NO_ANSWER });
    await t.user({ a: node });
    await t.clock.advance(3_000);
    server().on('server/discover', () => discovered());
    server().answer(1, discovered());
    server().say({ jsonrpc: '2.0', id: 11, ...unsupported('2026-07-28') });
    await settle();
    assert.equal(stateOf(t), 'modern 2026-07-28');
    assert.deepEqual(show(t), ['server/discover, initialize 2025-11-25, server/discover, tools/list']);
    await t.host.close();
  });

  test('is not taken for a silent server: a second process that is as slow proves nothing', async () => {
    const t = asking();
    t.connect = () => new ScriptedServer({ 'server/discover': () => NO_ANSWER, initialize: () => NO_ANSWER });
    for (let start = 0; start < 3; start++) {
      const starting = start === 0 ? t.user({ a: node }) : t.host.restart('a');
      await t.clock.advance(13_000);
      await t.clock.advance(9_000);
      t.server.answer(1, initializeResult());
      await settle();
      await starting;
      assert.equal(stateOf(t), 'legacy 2025-06-18');
      assert.equal(heard(t.servers.at(-2) ?? assert.fail())[0], 'server/discover', `start ${start}`);
    }
    await t.host.close();
  });

  test('aside, a process that is silent at two starts is remembered', async () => {
    const t = asking();
    t.connect = () =>
      t.servers.length % 2 === 0 && t.servers.length < 4
        ? new ScriptedServer({ 'server/discover': () => NO_ANSWER, initialize: () => NO_ANSWER })
        : new ScriptedServer();
    await t.user({ a: node });
    await t.clock.advance(13_000);
    const second = t.host.restart('a');
    await t.clock.advance(13_000);
    await second;
    assert.equal(t.servers.length, 4);
    assert.equal(await remembered(t), 'initialize');
    assert.equal(t.servers.length, 5);
    await t.host.close();
  });
});

suite('A remembered verdict', () => {
  test('is remembered, so that the next start asks nothing, until it is a week old', async () => {
    const storage = memoryStorage();
    const t = asking(storage);
    t.connect = () => new ScriptedServer();
    await t.user({ a: node });
    await t.host.restart('a');
    assert.deepEqual(show(t).slice(1), [INITIALIZED.join(', ')]);
    await t.clock.sleep(LEGACY_VERDICT_MS);
    await t.host.restart('a');
    assert.deepEqual(show(t).slice(2), [`server/discover, ${INITIALIZED.join(', ')}`]);
    await t.host.close();
  });

  test('is forgotten when the server no longer speaks that way', async () => {
    const t = asking();
    let isOld = false;
    t.connect = () => (isOld ? new ScriptedServer() : modernServer());
    await t.user({ a: node });
    isOld = true;
    await t.host.restart('a');
    assert.deepEqual(show(t).slice(1), [`server/discover, ${INITIALIZED.join(', ')}`]);
    assert.equal(stateOf(t), 'legacy 2025-06-18');
    await t.host.close();
  });

  test('falls forward when a server was replaced by one that knows no initialize', async () => {
    const t = asking();
    let isNew = false;
    t.connect = () => (isNew ? modernServer() : new ScriptedServer());
    await t.user({ a: node });
    isNew = true;
    await t.host.restart('a');
    assert.deepEqual(show(t).slice(1), ['initialize 2025-11-25, server/discover, tools/list']);
    assert.equal(stateOf(t), 'modern 2026-07-28');
    await t.host.close();
  });

  test('is forgotten by a failure: a server that only says that it knows no initialize is asked the next time', async () => {
    const t = asking();
    let isNew = false;
    t.connect = () =>
      isNew ? modernServer({ initialize: () => failWith(-32601, 'Method not found') }) : new ScriptedServer();
    await t.user({ a: node });
    isNew = true;
    await t.host.restart('a').catch(() => undefined);
    assert.match(stateOf(t), /^HANDSHAKE_FAILED/);
    await t.host.start('a');
    assert.equal(stateOf(t), 'modern 2026-07-28');
    await t.host.close();
  });

  test('is forgotten when a process ends at the question', async () => {
    const t = asking();
    let isOld = false;
    t.connect = () => {
      if (!isOld) return modernServer();
      if (t.servers.length > 1) return new ScriptedServer();
      const server: ScriptedServer = new ScriptedServer({
        'server/discover': () => {
          server.crash(exited());
          return NO_ANSWER;
        },
      });
      return server;
    };
    await t.user({ a: node });
    isOld = true;
    await t.host.restart('a');
    assert.equal(stateOf(t), 'legacy 2025-06-18');
    await t.host.close();
  });

  test('of MCPL decides: initialize first, and no question', async () => {
    const t = asking();
    t.connect = () => new ScriptedServer({ initialize: () => initializeResult({ capabilities: MCPL }) });
    await t.user({ a: node });
    await t.clock.sleep(2 * LEGACY_VERDICT_MS);
    await t.host.restart('a');
    assert.equal(heard(t.server)[0], 'initialize 2025-11-25');
    await t.host.close();
  });

  test('does not count against the settings', async () => {
    const t = new TestHost();
    t.connect = () => modernServer();
    await t.user({ a: { ...node, protocol: { era: 'modern' } } });
    assert.deepEqual(show(t), ['server/discover, tools/list']);
    await t.user({ a: { ...node, args: ['x'], protocol: { era: 'legacy' } } });
    assert.match(stateOf(t), /^HANDSHAKE_FAILED: The server refused the handshake/);
    await t.host.close();
  });

  test('that cannot be looked up or kept stops nothing', async () => {
    const failing = (): Promise<never> => Promise.reject(new Error('the disk is full'));
    const t = asking({ ...memoryStorage(), verdicts: { find: failing, save: failing, forget: failing } });
    await t.user({ a: node });
    assert.equal(stateOf(t), 'legacy 2025-06-18');
    assert.deepEqual(
      t.logs.filter((line) => line.includes('disk')),
      [
        'a warn: What the server speaks could not be looked up: the disk is full',
        'a warn: What the server speaks could not be kept: the disk is full',
      ],
    );
    await t.host.close();
  });
});

suite('Finding out what an address speaks', () => {
  /** The connection, or the following ones of the older kind, with these answers. */
  async function opened(...connections: readonly Parameters<typeof modernServer>[0][]): Promise<TestHost> {
    const t = asking();
    t.connect = () => new ScriptedServer(connections[t.servers.length] ?? {});
    await t.user({ a: remote });
    return t;
  }

  test('the question is asked on the connection that is then used', async () => {
    const modern = await opened({ 'server/discover': () => discovered() });
    assert.deepEqual(show(modern), ['auto: server/discover, tools/list']);
    const legacy = await opened({ 'server/discover': () => http(400) });
    assert.deepEqual(show(legacy), [`auto: server/discover, ${INITIALIZED.join(', ')}`]);
    const ids = legacy.server.messages.map((message: JsonObject) => message['id']);
    assert.deepEqual(ids, [1, 2, undefined, 3], 'no id is used twice on a connection');
    await Promise.all([modern.host.close(), legacy.host.close()]);
  });

  for (const status of [400, 404, 405])
    test(`the chain goes on to HTTP+SSE when initialize is answered ${status}`, async () => {
      const t = await opened({ 'server/discover': () => http(status), initialize: () => http(status) });
      assert.deepEqual(show(t), [
        'auto: server/discover, initialize 2025-11-25 (closed)',
        `sse: ${INITIALIZED.join(', ')}`,
      ]);
      await t.host.close();
    });

  test('without HTTP+SSE, the first failure of the address is reported', async () => {
    const refuses = { 'server/discover': () => http(404), initialize: () => http(404) };
    const t = await opened(refuses, { initialize: () => http(500) });
    assert.equal(stateOf(t), 'HANDSHAKE_FAILED: The server refused the handshake: HTTP 404');
    await t.host.close();
  });

  test('if HTTP+SSE requires a sign-in, that is reported', async () => {
    const refuses = { 'server/discover': () => http(405), initialize: () => http(405) };
    const wanted = new HostError('SIGN_IN_REQUIRED', 'The server needs sign-in.', { layer: 'policy' });
    const t = await opened(refuses, { initialize: () => new Dropped(wanted) });
    assert.equal(stateOf(t), 'SIGN_IN_REQUIRED: The server needs sign-in.');
    await t.host.close();
  });

  test('a failed sign-in is reported, and no other transport is tried', async () => {
    const failed = new HostError('SIGN_IN_FAILED', 'It answered HTTP 404.', { layer: 'policy', category: 'http-404' });
    const t = await opened({ 'server/discover': () => new Dropped(failed) });
    assert.deepEqual([stateOf(t), t.servers.length], ['SIGN_IN_FAILED: It answered HTTP 404.', 1]);
    await t.host.close();
  });

  for (const status of [401, 403, 429, 500, 503])
    test(`HTTP ${status} says nothing of what the server speaks`, async () => {
      const t = await opened({ 'server/discover': () => http(status) });
      assert.equal(stateOf(t), `REMOTE_ERROR: HTTP ${status}`);
      assert.deepEqual(show(t), ['auto: server/discover (closed)']);
      await t.host.close();
    });

  test('a WebSocket is opened with initialize, and falls forward', async () => {
    const t = asking();
    t.connect = () => modernServer();
    await t.user({ a: { url: 'ws://a.test', enabled: true } });
    assert.deepEqual(show(t), ['auto: initialize 2025-11-25, server/discover, tools/list']);
    await t.host.close();
  });
});
