import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/core/index.ts';
import { failWith, NO_ANSWER, tool } from '../../support/scriptedServer.ts';
import { type Case, type CaseOptions, ID, openCase } from './caseHost.ts';
import { ask } from './casePerson.ts';
import { type Answers, type CaseLife, initializeAnswer, type Responder } from './caseServer.ts';
import { type EventStream, HttpCases, legacy, stateless } from './httpCaseServer.ts';

const discovered = (capabilities: JsonObject = { tools: {} }): JsonObject => ({
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities,
  ttlMs: 0,
  cacheScope: 'private',
});
const offers = (...supported: readonly string[]): ReturnType<typeof failWith> =>
  failWith(-32022, 'Unsupported protocol version', { supported: [...supported], requested: '2026-07-28' });
const initialized = initializeAnswer({ version: '2025-11-25', capabilities: { tools: { listChanged: true } } });
const methodsOf = (life: CaseLife): readonly string[] => life.heard.map(({ message }) => String(message['method']));
const MCPL = { tools: {}, experimental: { mcpl: { version: '0.4', featureSets: { memory: {} } } } };

suite('Which revision a process speaks', () => {
  let opened: Case;
  teardown(() => opened.close());

  /** A server whose era is probed. */
  const open = (answers: Answers, more: CaseOptions = {}): Promise<Case> =>
    openCase({ version: '2025-11-25', entry: { protocol: {} }, ...more, answers }).then((found) => (opened = found));
  const connection = (): readonly unknown[] => {
    const { state } = opened.snapshot();
    return state.kind === 'running' ? [state.connection.era, state.protocolVersion, state.pid] : [state.kind];
  };
  const LEGACY = ['initialize', 'notifications/initialized', 'tools/list'];

  test('is asked of the process that is then used, and one that describes itself is never initialized', async () => {
    await open({
      'server/discover': () => discovered(),
      'tools/list': () => ({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [tool('echo')] }),
    });
    const [life, ...more] = opened.server.lives;
    assert.ok(life !== undefined);
    assert.deepEqual(more, []);
    assert.deepEqual(connection(), ['modern', '2026-07-28', life.pid]);
    assert.deepEqual(methodsOf(life), ['server/discover', 'tools/list']);
  });

  const inPlace: readonly (readonly [string, Responder])[] = [
    ['an error of any code', () => failWith(-32601, 'Method not found')],
    ['another error', () => failWith(-32000, 'Not initialized')],
    ['a result of another kind', () => 'hello'],
    ['a list of older revisions', () => offers('2025-11-25', '2025-06-18')],
    ['silence', () => NO_ANSWER],
    [
      'a line that is no message, and silence',
      async ({ life }): Promise<typeof NO_ANSWER> => {
        await life.raw('Server ready.\n');
        return NO_ANSWER;
      },
    ],
    [
      'an error without an id',
      async ({ life }): Promise<typeof NO_ANSWER> => {
        await life.say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
        return NO_ANSWER;
      },
    ],
  ];
  for (const [what, responder] of inPlace)
    test(`is an older one where the answer is ${what}: initialized in the same process`, async () => {
      await open({ 'server/discover': responder });
      const [life, ...more] = opened.server.lives;
      assert.ok(life !== undefined);
      assert.deepEqual(more, []);
      assert.deepEqual(connection(), ['legacy', '2025-11-25', life.pid]);
      assert.deepEqual(methodsOf(life), ['server/discover', ...LEGACY]);
    });

  test('is learnt from an answer that comes after initialize, and the next start uses it', async () => {
    await open({ 'server/discover': () => NO_ANSWER });
    await opened.life.say({ jsonrpc: '2.0', id: 1, result: discovered() });
    await opened.life.caughtUp();
    opened.server.answers['server/discover'] = () => discovered();
    await opened.host.restart(ID);
    await opened.until('the second process', () => opened.server.lives.length === 2);
    assert.deepEqual([connection()[0], methodsOf(opened.life)[0]], ['modern', 'server/discover']);
    assert.deepEqual(
      opened.log.filter((line) => line.includes('Ignored')),
      [],
    );
  });

  for (const [what, method, code] of [
    ['ends at the question', 'server/discover', 3],
    ['ends in order at the question', 'server/discover', 0],
    ['ends at initialize after the question', 'initialize', 1],
  ] as const)
    test(`is asked once of a process that ${what}: another one begins with initialize, and so does the next start`, async () => {
      let isFirst = true;
      const exit: Responder = ({ life }) => {
        if (!isFirst) return initialized;
        isFirst = false;
        life.exit(code);
        return NO_ANSWER;
      };
      await open({ [method]: exit });
      const [first, second, ...more] = opened.server.lives;
      assert.ok(first !== undefined && second !== undefined);
      assert.deepEqual([more, first.isGone], [[], true]);
      assert.deepEqual(connection(), ['legacy', '2025-11-25', second.pid]);
      assert.deepEqual([methodsOf(first)[0], methodsOf(second)], ['server/discover', LEGACY]);
      await opened.host.restart(ID);
      await (await opened.server.started(3)).until('tools/list');
      assert.deepEqual(opened.server.lives.slice(2).map(methodsOf), [LEGACY]);
    });

  test('is asked once of a process that loses the message after the question', async () => {
    let isFirst = true;
    const lost: Responder = () => {
      if (!isFirst) return initialized;
      isFirst = false;
      return NO_ANSWER;
    };
    await open({ initialize: lost });
    const [first, second, ...more] = opened.server.lives;
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual([more, first.isGone], [[], true]);
    assert.deepEqual([methodsOf(first), methodsOf(second)], [['server/discover', 'initialize'], LEGACY]);
    await opened.host.restart(ID);
    await (await opened.server.started(3)).until('tools/list');
    assert.deepEqual(opened.server.lives.slice(2).map(methodsOf), [LEGACY]);
  });

  test('is reported if the host does not support it', async () => {
    const answers = { 'server/discover': () => offers('2099-01-01') };
    await open(answers, { start: false });
    await assert.rejects(opened.host.start(ID), /The server speaks MCP 2099-01-01; this host speaks 2026-07-28/);
    assert.deepEqual(opened.server.lives.map(methodsOf), [['server/discover']]);
  });

  test('is asked once: the next start knows it', async () => {
    await open({ 'server/discover': () => failWith(-32601, 'Method not found') });
    await opened.host.restart(ID);
    const life = await opened.server.started(2);
    await life.until('tools/list');
    assert.deepEqual(methodsOf(life), LEGACY);
    assert.equal(opened.server.lives.length, 2);
  });

  test('is an older one in any case where the process announces MCPL', async () => {
    await open({ 'server/discover': () => discovered(MCPL) }, { capabilities: MCPL });
    const [life, ...more] = opened.server.lives;
    assert.ok(life !== undefined);
    assert.deepEqual(more, []);
    assert.deepEqual(connection(), ['legacy', '2025-11-25', life.pid]);
    assert.deepEqual(methodsOf(life).slice(0, 2), ['server/discover', 'initialize']);
    const params = { timestamp: '2026-01-01T00:00:00Z', eventId: 'e', payload: { content: [] } };
    const code = async (featureSet: string): Promise<unknown> =>
      ((await ask(life, 'push/event', { ...params, featureSet }))['error'] as JsonObject)['code'];
    assert.deepEqual([await code('memory'), await code('nobody')], [-32001, -32003]);
  });
});

suite('A server of MCPL at an address', () => {
  const cases = HttpCases.ofSuite();

  test('that could do without initialize is initialized all the same, on the same connection', async () => {
    const [opened, server] = await cases.running({
      ...legacy('2025-11-25', { capabilities: MCPL }),
      'server/discover': stateless(MCPL)['server/discover'] ?? assert.fail(),
      'featureSets/update': (exchange) => exchange.status(202),
    });
    assert.deepEqual(opened.connection, ['legacy', '2025-11-25', 'http']);
    assert.deepEqual(server.lines().slice(0, 3), [
      'POST server/discover',
      'POST initialize',
      'POST notifications/initialized',
    ]);
  });

  test('that knows no initialize is a plain server, of which the log warns', async () => {
    const streams: EventStream[] = [];
    const [opened] = await cases.running({
      ...stateless(MCPL),
      initialize: (exchange) =>
        exchange.error({ code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } }, 400),
      'subscriptions/listen': (exchange) => streams.push(exchange.stream()),
    });
    assert.deepEqual(opened.connection, ['modern', '2026-07-28', 'http']);
    assert.equal(opened.log.filter((line) => /^warn The server speaks MCPL, which needs/.test(line)).length, 1);
    assert.equal((await opened.call()).modelText, 'done');
  });
});
