import assert from 'node:assert/strict';
import { Deferred, type JsonObject } from '../../../src/core/index.ts';
import { initializeAnswer } from '../cases/caseServer.ts';
import { mcplCases, NO_ANSWER, pushOf, set, tool } from './mcplCase.ts';

const HELLO = ['> 1 initialize 2025-11-25', '> notifications/initialized {}'];
/** An empty line on stdout is ignored. An empty WebSocket message is invalid. */
const NOISE = {
  stdio: ['log line (not a message)', 'log line (not a message)', '[INFO] ready (not a message)'].map(
    (line) => `warn: Not a message on stdout: ${line}`,
  ),
  WebSocket: ['log line', '', 'log line', '', '[INFO] ready'].map((line) => `warn: Not a message: ${line}`),
};
const ENDED = {
  stdio: 'The connection closed before the server answered tools/call. The server exited with code 1.',
  WebSocket: 'The connection closed before the server answered tools/call. The server closed the connection (1006).',
};
const said = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });

/** An MCPL server with one set for events. */
const ANNOUNCED = initializeAnswer({
  version: '2025-06-18',
  capabilities: { tools: {}, experimental: { mcpl: { version: '0.2', featureSets: { alerts: set('pushEvents') } } } },
});

mcplCases('the handshake', (open, over) => {
  test('a server without experimental.mcpl is a plain MCP server, whatever the settings say', async () => {
    const opened = await open({
      server: {
        mcpl: null,
        tools: [tool('echo', { _meta: { featureSet: 'alerts' } })],
        answers: { 'tools/call': () => said('echoed') },
        entry: { featureSets: { enabled: ['*'] }, push: { '*': 'infer' } },
      },
    });
    const { text, injectedBy, modifiedBy, remarks } = await opened.turn('Hello?');
    assert.deepEqual([text, injectedBy, modifiedBy, remarks], ['The answer.', [], [], []]);
    assert.equal((await opened.call('echo')).modelText, 'echoed');
    for (const method of ['push/event', 'inference/request', 'model/info', 'scope/elevate'])
      assert.equal(await opened.answerTo(method, pushOf('alerts', 'e-1')), `error -32601 Method not found: ${method}`);
    await opened.choose(['alerts'], true);
    await opened.life().notify('featureSets/changed', { added: { alerts: set('pushEvents') } });
    await opened.life().caughtUp();
    assert.deepEqual(
      opened.heard().filter((line) => !line.includes('error')),
      [...HELLO, '> 2 tools/list {}', '> 3 tools/call {"name":"echo","arguments":{},"_meta":{"progressToken":3}}'],
    );
    assert.equal(opened.snapshot().mcpl, undefined);
    assert.deepEqual([opened.model.prompts, opened.model.chosenFor], [['user: Hello?'], [undefined]]);
    const audit = ['case tools/call success: echo by api'];
    assert.deepEqual([opened.events(), opened.arrived, await opened.audit()], [[], [], audit]);
  });

  test('a server that the settings treat as plain gets no MCPL announcement, and its own does not count', async () => {
    const opened = await open({
      server: {
        sets: { alerts: set('pushEvents') },
        tools: [tool('echo', { _meta: { featureSet: 'alerts' } })],
        entry: { protocol: { era: 'legacy', mcpl: 'off' }, featureSets: { enabled: ['*'] } },
      },
    });
    assert.equal(await opened.push('alerts', 'e-1'), 'error -32601 Method not found: push/event');
    const { capabilities } = opened.life().sent('initialize')[0]?.['params'] as { capabilities: JsonObject };
    assert.equal(capabilities['experimental'], undefined);
    assert.deepEqual(opened.heard(), [
      ...HELLO,
      '> 2 tools/list {}',
      '> "s1" error {"code":-32601,"message":"Method not found: push/event"}',
    ]);
    assert.deepEqual([opened.snapshot().mcpl, opened.offered(), await opened.audit()], [undefined, ['echo'], []]);
  });

  test('initialize comes first and says that the host speaks MCPL, then initialized, then all else', async () => {
    const opened = await open({ server: { sets: { alerts: set('pushEvents') } } });
    const [first] = opened.life().sent('initialize');
    const { protocolVersion, capabilities } = first?.['params'] as { [name: string]: JsonObject };
    assert.equal(protocolVersion, '2025-11-25');
    assert.deepEqual(capabilities?.['experimental'], {
      mcpl: {
        version: '0.2',
        pushEvents: true,
        contextHooks: { beforeInference: true, afterInference: { blocking: true } },
        inferenceRequest: { streaming: true },
        modelInfo: true,
        featureSets: { enabled: [], disabled: [] },
      },
    });
    assert.deepEqual(opened.heard(), [
      ...HELLO,
      '> featureSets/update {"enabled":[],"disabled":["alerts"]}',
      '> 2 tools/list {}',
    ]);
    assert.equal(opened.peer().lives.length, 1);
  });

  test('until the result of initialize nothing is sent, also when the user chooses meanwhile', async () => {
    const gate = new Deferred<void>();
    const opened = await open({
      start: false,
      server: {
        answers: {
          initialize: async () => {
            await gate.promise;
            return ANNOUNCED;
          },
        },
      },
    });
    const starting = opened.start();
    const life = await opened.peer().started();
    await life.until('initialize');
    await opened.choose(['alerts'], true);
    await life.caughtUp();
    assert.deepEqual(opened.heard(), ['> 1 initialize 2025-11-25']);
    assert.equal(opened.snapshot().state.kind, 'starting');
    gate.resolve();
    await starting;
    assert.deepEqual(opened.heard().slice(1), [
      '> notifications/initialized {}',
      '> featureSets/update {"enabled":["alerts"],"disabled":[]}',
      '> 2 tools/list {}',
    ]);
    assert.deepEqual([opened.events(), await opened.audit()], [[], ['case featureSets/update success: 1 on, 0 off']]);
  });

  test('an event that comes in one write with the result of initialize is decided by the settings', async () => {
    const opened = await open({
      start: false,
      server: {
        entry: { featureSets: { enabled: ['alerts'] } },
        answers: {
          initialize: async ({ life, id }): Promise<typeof NO_ANSWER> => {
            const event = { jsonrpc: '2.0', id: 'early', method: 'push/event', params: pushOf('alerts', 'e-1') };
            await life.say({ jsonrpc: '2.0', id, result: ANNOUNCED }, event);
            return NO_ANSWER;
          },
        },
      },
    });
    await opened.start();
    assert.equal(opened.answerText(await opened.life().answer('early')), '{"accepted":true}');
    assert.deepEqual(opened.events(), ['case alerts e-1 at 2026-02-03T10:00:00Z, "Event e-1.", unread']);
  });

  test('lines that are no messages are logged, and the connection goes on', async () => {
    const opened = await open({
      server: {
        sets: { alerts: set('pushEvents') },
        entry: { featureSets: { enabled: ['alerts'] } },
        answers: {
          initialize: async ({ life }) => {
            await life.raw('log line\n\n');
            return ANNOUNCED;
          },
        },
      },
    });
    await opened.life().raw('log line\n\n[INFO] ready\n');
    assert.equal(await opened.push('alerts', 'e-1'), '{"accepted":true}');
    assert.deepEqual(opened.events(), ['case alerts e-1 at 2026-02-03T10:00:00Z, "Event e-1.", unread']);
    assert.equal(opened.snapshot().state.kind, 'running');
    assert.deepEqual(
      opened.log.filter((line) => line.startsWith('warn')),
      NOISE[over],
    );
  });

  test('requests of the server with ids of the host are answered once each, in the type that they have', async () => {
    const called = new Deferred<JsonObject>();
    const opened = await open({
      server: {
        mcpl: { modelInfo: true },
        tools: [tool('slow')],
        answers: { 'tools/call': () => called.promise },
      },
    });
    const result = opened.call('slow');
    await opened.life().until('tools/call');
    // 3 is the call, which is not answered yet.
    for (const id of [1, 'abc', 0, 3, '3']) await opened.life().request(id, 'model/info');
    for (const id of [1, 'abc', 0, 3, '3']) await opened.life().answer(id);
    called.resolve(said('late'));
    assert.equal((await result).modelText, 'late');
    await opened.life().caughtUp();
    const facts = '{"id":"case-model","vendor":"case","contextWindow":8000,"capabilities":["text"]}';
    assert.deepEqual(
      opened.heard().slice(HELLO.length).toSorted(),
      [
        '> featureSets/update {"enabled":[],"disabled":[]}',
        '> 2 tools/list {}',
        '> 3 tools/call {"name":"slow","arguments":{},"_meta":{"progressToken":3}}',
        ...['1', '"abc"', '0', '3', '"3"'].map((id) => `> ${id} ${facts}`),
      ].toSorted(),
    );
    assert.deepEqual(await opened.audit('tools/call'), ['case tools/call success: slow by api']);
  });

  test('an event of a set that is off, of an unknown set, and an unknown method have an error each', async () => {
    const opened = await open({ server: { sets: { alerts: set('pushEvents'), bare: {} } } });
    assert.deepEqual(
      [
        await opened.push('alerts', 'e-1'),
        await opened.push('nobody', 'e-2'),
        await opened.push('bare', 'e-3'),
        await opened.answerTo('push/everything', {}),
      ],
      [
        'error -32001 Feature set not enabled {"featureSet":"alerts","canEnable":true}',
        'error -32003 Unknown feature set {"featureSet":"nobody"}',
        'error -32001 Feature set not enabled {"featureSet":"bare","canEnable":false}',
        'error -32601 Method not found: push/everything',
      ],
    );
    assert.deepEqual([opened.events(), opened.arrived], [[], []]);
    assert.deepEqual(await opened.audit('push/event'), [
      'case push/event alerts refused: Feature set not enabled',
      'case push/event nobody refused: Unknown feature set',
      'case push/event bare refused: Feature set not enabled',
    ]);
  });

  test('an unknown notification and an answer to nothing are ignored without a word', async () => {
    const opened = await open({ server: { sets: { alerts: set('pushEvents') } } });
    const before = [opened.heard(), opened.sets(), await opened.audit()];
    const life = opened.life();
    await life.notify('channels/typing', { channelId: 'game:taproom', op: 'start' });
    await life.notify('mcpl/manifestChanged', { revision: 'sha256:x' });
    await life.say(
      { jsonrpc: '2.0', id: 4711, result: {} },
      { jsonrpc: '2.0', id: 'never', error: { code: -32001, message: 'Feature set not enabled' } },
    );
    await life.caughtUp();
    assert.deepEqual([opened.heard(), opened.sets(), await opened.audit()], before);
    assert.deepEqual(
      opened.log.filter((line) => line.startsWith('warn')),
      ['warn: Ignored an answer with the unknown id 4711.', 'warn: Ignored an answer with the unknown id never.'],
    );
    assert.equal(opened.snapshot().state.kind, 'running');
  });

  test('a server that reads nothing until its channels are registered is answered, and lists its tools', async () => {
    let askedAt = 0;
    const opened = await open({
      start: false,
      server: {
        mcpl: { version: '0.4', channels: true },
        tools: [tool('look')],
        answers: {
          'tools/list': async ({ life }) => {
            await life.answer(1);
            return { tools: [tool('look')] };
          },
        },
      },
    });
    const starting = opened.start();
    const life = await opened.peer().started();
    await life.until('notifications/initialized');
    askedAt = Date.now();
    await life.request(1, 'channels/register', { channels: [{ id: 'game:taproom', type: 'game' }] });
    await life.answer(1);
    assert.ok(Date.now() - askedAt < 1_000);
    await starting;
    assert.deepEqual(opened.heard().toSorted(), [
      '> 1 error {"code":-32601,"message":"Method not found: channels/register"}',
      '> 1 initialize 2025-11-25',
      '> 2 tools/list {}',
      '> featureSets/update {"enabled":[],"disabled":[],"scopes":{}}',
      '> notifications/initialized {}',
    ]);
    assert.deepEqual(opened.offered(), ['look']);
  });

  test('a server that ends in the middle of a call fails the call and is started again with all that it must know', async () => {
    const opened = await open({
      server: {
        sets: { alerts: set('pushEvents') },
        tools: [tool('crash')],
        entry: { featureSets: { enabled: ['alerts'] } },
      },
    });
    opened.peer().answers['tools/call'] = async ({ life }) => {
      life.exit(1);
      return new Promise(() => undefined);
    };
    const states: string[] = [];
    opened.host.onDidChangeServer(({ what }) => {
      if (what === 'state') states.push(opened.snapshot().state.kind);
    });
    await assert.rejects(opened.call('crash'), { code: 'CONNECTION_CLOSED', message: ENDED[over] });
    await opened.until('the restart', () => opened.snapshot().state.kind === 'running');
    const life = await opened.peer().started(2);
    await life.until('tools/list');
    await life.caughtUp();
    assert.deepEqual(states, ['restarting', 'starting', 'running']);
    const [first] = life.sent('initialize');
    const { capabilities } = first?.['params'] as { capabilities: { experimental: JsonObject } };
    assert.deepEqual((capabilities.experimental['mcpl'] as JsonObject)['featureSets'], {
      enabled: ['alerts'],
      disabled: [],
    });
    assert.deepEqual(opened.heard(), [
      ...HELLO,
      '> featureSets/update {"enabled":["alerts"],"disabled":[]}',
      '> 2 tools/list {}',
    ]);
    assert.equal(await opened.push('alerts', 'e-1'), '{"accepted":true}');
    assert.deepEqual(opened.sets(), ['alerts enabled, notify']);
    assert.deepEqual(await opened.audit(), [
      'case featureSets/update success: 1 on, 0 off',
      `case tools/call failure: crash by api: ${ENDED[over]}`,
      'case featureSets/update success: 1 on, 0 off',
      'case push/event alerts success: event e-1',
    ]);
  });
});
