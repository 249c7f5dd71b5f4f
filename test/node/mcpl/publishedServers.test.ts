import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/core/index.ts';
import { lineOf } from '../cases/caseServer.ts';
import { TavernServer } from '../fixtures/tavernServer.ts';
import { ID, McplCase, type McplCaseOptions, type Over } from './mcplCase.ts';

const HEARTBEAT = join(import.meta.dirname, '..', 'fixtures', 'heartbeatServer.mjs');

/** A host with a server that is not scripted by the test. */
async function openWith(
  over: Over,
  entries: Readonly<Record<string, JsonObject>>,
  options: McplCaseOptions = {},
): Promise<McplCase> {
  const servers = Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, { entry }]));
  return McplCase.open(over, { servers, ...options });
}

/** Started, with its tools listed. */
async function running(opened: McplCase, id = ID): Promise<McplCase> {
  await opened.host.start(id);
  await opened.until('the list of tools', () => opened.snapshot(id).listing.kind === 'read');
  return opened;
}

suite('MCPL: a server with the manners of heartbeat', () => {
  let opened: McplCase;
  teardown(() => opened.close());

  const heartbeat = (entry: JsonObject = {}): Promise<McplCase> =>
    openWith('stdio', { [ID]: { command: process.execPath, args: [HEARTBEAT], env: { HEARD: '1' }, ...entry } });
  /** The server's stderr without the messages that it received. */
  const notes = (): readonly string[] =>
    opened.log.flatMap((line) => /^info: \[heartbeat\] (?!heard )(.*)$/.exec(line)?.[1] ?? []);
  const heard = (): readonly string[] =>
    opened.log
      .flatMap((line) => /^info: \[heartbeat\] heard (.*)$/.exec(line)?.[1] ?? [])
      .map((text) => lineOf('>', JSON.parse(text) as JsonObject))
      .map((line) => line.replace(/ initialize \{.*/, ' initialize'));

  test('is asked what it speaks, ends, and is started once more with initialize first; later starts know it', async () => {
    opened = await running(await heartbeat({ protocol: {} }));
    await opened.until('what it heard', () => heard().length >= 5);
    const session = [
      '> 1 initialize',
      '> notifications/initialized {}',
      '> featureSets/update {"enabled":[],"disabled":["heartbeat"],"scopes":{}}',
      '> 2 tools/list {}',
    ];
    assert.deepEqual(heard().slice(1), session);
    assert.deepEqual([heard()[0]?.startsWith('> 1 server/discover'), notes()], [true, ['expected initialize']]);
    assert.deepEqual(opened.sets(), [
      'heartbeat disabled, notify, tools heartbeat_status heartbeat_trigger reminder_add',
    ]);
    assert.deepEqual(opened.offered(), []);
    await opened.host.restart(ID);
    await opened.until('what the next process heard', () => heard().length >= 9);
    assert.deepEqual(heard().slice(5), session);
  });

  test('pushes before the result of the call, with the ids of the host, what it did not declare', async () => {
    opened = await running(await heartbeat({ protocol: { era: 'legacy' } }));
    const { alsoEvents } = opened.host;
    alsoEvents.onDidAsk(({ server, featureSet }) => alsoEvents.choose(server, featureSet, true));
    await opened.enable('heartbeat');
    assert.equal((await opened.call('heartbeat_trigger')).modelText, 'Heartbeat fired.');
    await opened.until('the answer to the push', () => notes().length > 0);
    assert.deepEqual(notes(), ['push response: {"accepted":true}']);
    assert.deepEqual(opened.events(), [
      'case heartbeat heartbeat_1 at 2026-02-03T10:00:00.000Z, from {"source":"heartbeat","reason":"manual"}, "Look after yourself.", unread',
    ]);
    assert.deepEqual(opened.sets(), [
      'heartbeat enabled, notify, tools heartbeat_status heartbeat_trigger reminder_add, undeclared pushEvents',
    ]);
    await opened.logged(/^warn: The feature set "heartbeat" uses pushEvents, which it did not declare\.$/);
    assert.deepEqual((await opened.audit()).toSorted(), [
      'case featureSets/update success: 0 on, 1 off',
      'case featureSets/update success: 1 on, 0 off',
      'case push/event heartbeat success: event heartbeat_1',
      'case tools/call heartbeat success: heartbeat_trigger by api',
    ]);
  });

  test('pushes although its set was switched off meanwhile, and is refused', async () => {
    opened = await running(await heartbeat({ protocol: { era: 'legacy' } }));
    await opened.enable('heartbeat');
    await opened.call('reminder_add', { message: 'Wake up.', inSeconds: 0.4 });
    await opened.disable('heartbeat');
    await opened.until('the answer to the push', () => notes().length > 0);
    assert.deepEqual(notes(), ['push failed: -32001 Feature set not enabled']);
    assert.deepEqual([opened.events(), opened.arrived, opened.snapshot().state.kind], [[], [], 'running']);
    assert.deepEqual(await opened.audit('push/event'), ['case push/event heartbeat refused: Feature set not enabled']);
  });

  test('without MCPL in the settings it is a plain server that pushes in vain', async () => {
    opened = await running(await heartbeat({ protocol: { era: 'legacy', mcpl: 'off' } }));
    assert.equal((await opened.call('heartbeat_trigger')).modelText, 'Heartbeat fired.');
    await opened.until('the answer to the push', () => notes().length > 0);
    assert.deepEqual(notes(), ['push failed: -32601 Method not found: push/event']);
    assert.deepEqual(
      [opened.snapshot().mcpl, opened.events(), await opened.audit()],
      [undefined, [], ['case tools/call success: heartbeat_trigger by api']],
    );
  });

  test('does not take its policy as a request, and then gets a notification', async () => {
    opened = await running(await heartbeat({ protocol: { era: 'legacy', mcpl: '0.5' } }));
    await opened.until('what it heard', () => heard().length >= 5);
    assert.deepEqual(heard().toSorted(), [
      '> 1 initialize',
      '> 2 featureSets/update {"enabled":[],"disabled":["heartbeat"],"effectiveCapabilities":[]}',
      '> 3 tools/list {}',
      '> featureSets/update {"enabled":[],"disabled":["heartbeat"]}',
      '> notifications/initialized {}',
    ]);
    assert.equal(opened.snapshot().state.kind, 'running');
  });
});

suite('MCPL: the fixture itself', () => {
  /** The answered ids, and the closing code. */
  const told = async (...lines: readonly string[]): Promise<readonly [readonly unknown[], number | null]> => {
    const child = spawn(process.execPath, [HEARTBEAT], { stdio: ['pipe', 'pipe', 'ignore'] });
    let out = '';
    child.stdout.on('data', (text) => (out += String(text)));
    child.stdin.on('error', () => undefined);
    child.stdin.end(lines.map((line) => `${line}\n`).join(''));
    const [code] = (await once(child, 'close')) as [number | null];
    return [
      out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as JsonObject)['id']),
      code,
    ];
  };
  const request = (id: number, method: string): string => JSON.stringify({ id, method, params: { capabilities: {} } });

  test('has the manners that hosts must put up with', async () => {
    const [discover, initialize, list] = [
      request(1, 'server/discover'),
      request(1, 'initialize'),
      request(2, 'tools/list'),
    ];
    assert.deepEqual(await told(discover, initialize), [[], 0]);
    assert.deepEqual(await told(initialize, list, request(3, 'tools/list')), [[1, 3], 0]);
    assert.deepEqual(await told(initialize, list, '{not json', request(3, 'tools/list')), [[1], 1]);
  });
});

suite('MCPL: a server with the manners of tavern', () => {
  let opened: McplCase;
  let tavern: TavernServer;
  setup(async () => {
    tavern = await TavernServer.listen('alice', 'bob');
  });
  teardown(async () => {
    await opened.close();
    await tavern.close();
  });

  const heard = (token: string): readonly string[] =>
    (tavern.heard.get(token) ?? [])
      .map((message) => lineOf('>', message))
      .map((line) => line.replace(/ initialize \{.*/, ' initialize'));
  const REFUSED = '> 1 error {"code":-32601,"message":"Method not found: channels/register"}';

  for (const mcpl of ['auto', 'off'])
    test(`is answered when it registers its channels, and lists its tools (MCPL ${mcpl})`, async () => {
      opened = await openWith('WebSocket', { [ID]: { url: tavern.url('alice'), protocol: { mcpl } } });
      const before = Date.now();
      await running(opened);
      assert.ok(Date.now() - before < 5_000);
      assert.equal((await opened.call('look')).modelText, 'You are in the taproom.');
      assert.deepEqual(heard('alice').toSorted(), [
        REFUSED,
        '> 1 initialize',
        '> 2 tools/list {}',
        '> 3 tools/call {"name":"look","arguments":{},"_meta":{"progressToken":3}}',
        ...(mcpl === 'off' ? [] : ['> featureSets/update {"enabled":[],"disabled":[],"scopes":{}}']),
        '> notifications/initialized {}',
      ]);
      assert.deepEqual([opened.sets(), opened.offered()], [[], ['look', 'say']]);
      const remarks = opened.log.filter((line) => line.startsWith('warn'));
      const ours = 'warn: It announces "channels", in which this host takes no part.';
      assert.deepEqual(remarks, mcpl === 'off' ? [] : [ours]);
    });

  test('sends messages of others as a request, which is refused without effect', async () => {
    opened = await openWith('WebSocket', { alice: { url: tavern.url('alice') }, bob: { url: tavern.url('bob') } });
    await running(opened, 'alice');
    await running(opened, 'bob');
    await opened.call('say', { text: 'evening' }, {}, 'alice');
    await opened.until('the answer of the other', () =>
      heard('bob').some((line) => line.includes('channels/incoming')),
    );
    assert.deepEqual(
      heard('bob').filter((line) => line.includes('error')),
      [REFUSED, '> 2 error {"code":-32601,"message":"Method not found: channels/incoming"}'],
    );
    assert.equal((await opened.call('look', {}, {}, 'bob')).modelText, 'You are in the taproom.');
    assert.deepEqual([opened.events(), opened.arrived], [[], []]);
  });

  test('does not let in who has no token, and the start says so', async () => {
    opened = await openWith('WebSocket', { [ID]: { url: tavern.url('nobody') } });
    await assert.rejects(opened.host.start(ID), {
      code: 'CONNECTION_CLOSED',
      message:
        'The connection closed before the server answered initialize. The server closed the connection (4001, “unauthorized”).',
      suggestion:
        "Check the credentials: correct the token in `headers` in the server's settings, then start the server again.",
    });
    assert.equal(opened.snapshot().state.kind, 'failed');
  });
});
