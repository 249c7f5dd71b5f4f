import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { HostError, isHostError } from '../../../../src/core/base/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, initializeResult, NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { exited, TestHost } from '../../../support/testHost.ts';

const node = { command: 'node', enabled: true };

suite('A host and its servers', () => {
  test('starts what is enabled, in the protocol’s strict order, and lists its tools', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ 'tools/list': () => ({ tools: [tool('add'), tool('del')] }) });
    await t.user({ notes: node, idle: { command: 'other' } });
    assert.equal(t.show(), 'notes: running 2025-06-18 pid 101 [add, del]\nidle: stopped (notStarted)');
    assert.deepEqual(t.server.heard, [
      'initialize {"protocolVersion":"2025-11-25","capabilities":{"experimental":{"mcpl":{"version":"0.2","pushEvents":true,"contextHooks":{"beforeInference":true,"afterInference":{"blocking":true}},"inferenceRequest":{"streaming":true},"modelInfo":true,"featureSets":{"enabled":[],"disabled":[]}}},"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}},"sampling":{}},"clientInfo":{"name":"test-host","title":"Test Host","version":"0.0.0"}}',
      'notifications/initialized {}',
      'tools/list {}',
    ]);
    assert.deepEqual(t.changes, ['notes added', 'idle added', 'notes state', 'notes state', 'notes tools']);
    await t.host.close();
    assert.equal(t.server.closed, true);
    assert.equal(t.clock.waiting, 0);
  });

  test('says nothing to a server while it waits for the answer to initialize', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ initialize: () => NO_ANSWER });
    await t.user({ slow: node });
    await t.clock.advance(3000);
    assert.deepEqual(t.server.heard.length, 1);
    t.server.answer(t.server.messages[0]?.['id'] as number, initializeResult());
    await settle();
    assert.equal(t.show(), 'slow: running 2025-06-18 pid 101');
    await t.host.close();
  });

  test('a server that never answers fails after its timeout and gets no cancellation of its handshake', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ initialize: () => NO_ANSWER });
    await t.user({ mute: { ...node, timeouts: { start: 5 } } });
    await t.clock.advance(5000);
    assert.equal(t.show(), 'mute: failed HANDSHAKE_FAILED: The server did not answer "initialize" within 5 seconds.');
    assert.equal(t.server.heard.length, 1);
    assert.equal(t.server.closed, true);
    await t.host.close();
  });

  test('a server of an unknown revision is refused with both versions named', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ initialize: () => initializeResult({ protocolVersion: '1999-01-01' }) });
    await t.user({ old: node });
    assert.equal(
      t.show(),
      'old: failed UNSUPPORTED_VERSION: The server speaks MCP 1999-01-01; this host offered 2025-11-25.',
    );
    assert.equal(t.server.closed, true);
    await t.host.close();
  });

  test('a server that offers another version in its error is asked once more', async () => {
    const t = new TestHost();
    const versions: unknown[] = [];
    t.connect = () =>
      new ScriptedServer({
        initialize: (params) => {
          versions.push(params['protocolVersion']);
          return failWith(-32602, 'Unsupported', { supported: ['2024-11-05'] });
        },
      });
    await t.user({ picky: node });
    assert.deepEqual(versions, ['2025-11-25', '2024-11-05']);
    assert.equal(t.show(), 'picky: failed HANDSHAKE_FAILED: The server refused the handshake: Unsupported');
    await t.host.close();
  });

  test('what the server asks is answered at once: ping, and an error for what this host does not know', async () => {
    const t = new TestHost();
    await t.user({ asks: node });
    t.server.say({ jsonrpc: '2.0', id: 'abc', method: 'ping' });
    t.server.say({ jsonrpc: '2.0', id: 0, method: 'channels/register', params: {} });
    t.server.notify('notifications/unheard-of');
    await settle();
    assert.deepEqual(t.server.messages.slice(-2), [
      { jsonrpc: '2.0', id: 'abc', result: {} },
      { jsonrpc: '2.0', id: 0, error: { code: -32601, message: 'Method not found: channels/register' } },
    ]);
    await t.host.close();
  });

  test('what the server asks before it has answered initialize is answered as well', async () => {
    const t = new TestHost();
    t.folders = [];
    t.connect = () => new ScriptedServer({ initialize: () => NO_ANSWER });
    await t.user({ early: node });
    t.server.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
    t.server.say({ jsonrpc: '2.0', id: 2, method: 'roots/list' });
    await settle();
    assert.deepEqual(t.server.messages.slice(1), [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found: roots/list' } },
    ]);
    t.server.answer(t.server.messages[0]?.['id'] as number, initializeResult());
    await settle();
    assert.equal(t.show(), 'early: running 2025-06-18 pid 101');
    await t.host.close();
  });

  test('a server that registers channels first and reads on only then still lists its tools', async () => {
    const t = new TestHost();
    t.connect = () => {
      const server = new ScriptedServer();
      const answered = new Deferred<void>();
      server.on('tools/list', async () => {
        await answered.promise;
        return { tools: [tool('post')] };
      });
      const poll = setInterval(() => {
        if (server.heard.some((line) => line.startsWith('answer'))) {
          clearInterval(poll);
          answered.resolve();
        }
      }, 1);
      server.say({ jsonrpc: '2.0', id: 1, method: 'channels/register', params: {} });
      return server;
    };
    await t.user({ tavern: node });
    while (t.host.server('tavern')?.tools.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(t.show(), 'tavern: running 2025-06-18 pid 101 [post]');
    await t.host.close();
  });

  test('a server without the tools capability is never asked for tools', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ initialize: () => initializeResult({ capabilities: {} }) });
    await t.user({ bare: node });
    t.server.notify('notifications/tools/list_changed');
    await t.clock.advance(1000);
    assert.deepEqual(
      t.server.heard.map((line) => line.split(' ')[0]),
      ['initialize', 'notifications/initialized'],
    );
    await t.host.close();
  });

  test('a crash restarts the server with its tools kept, and the fifth within three minutes opens the circuit', async () => {
    const t = new TestHost();
    t.connect = () => new ScriptedServer({ 'tools/list': () => ({ tools: [tool('x')] }) });
    await t.user({ weak: node });
    const shown: string[] = [];
    for (let crash = 1; crash <= 5; crash++) {
      t.server.crash(exited());
      await settle();
      shown.push(t.show().replace(/at \d+/, 'later'));
      await t.clock.advance(10_000);
    }
    assert.deepEqual(shown, [
      ...Array<string>(4).fill('weak: restarting later after SERVER_EXITED [x]'),
      'weak: failed CRASH_LOOP: The server ended 5 times within 3 minutes. Last: The server ended with exit code 1. [x]',
    ]);
    assert.equal(t.servers.length, 5);
    await t.clock.advance(600_000);
    assert.equal(t.servers.length, 5, 'nothing starts while the circuit is open');
    await t.host.restart('weak');
    assert.equal(t.show(), 'weak: running 2025-06-18 pid 106 [x]');
    t.server.crash(exited());
    await settle();
    assert.match(t.show(), /restarting/, 'a start by hand forgives what was before');
    await t.host.close();
    assert.equal(t.clock.waiting, 0);
  });

  test('with restart "never" a crash is a failure', async () => {
    const t = new TestHost();
    await t.user({ once: { ...node, restart: 'never' } });
    t.server.crash(exited());
    await t.clock.advance(60_000);
    assert.equal(t.show(), 'once: failed SERVER_EXITED: The server ended with exit code 1.');
    await t.host.close();
  });

  test('a command that cannot be started fails at once with its reason, and is not tried again', async () => {
    const t = new TestHost();
    t.connect = () => {
      throw new HostError('COMMAND_NOT_FOUND', 'The command "nope" was not found.', { layer: 'process' });
    };
    await t.user({ lost: node });
    await t.clock.advance(60_000);
    assert.equal(t.show(), 'lost: failed COMMAND_NOT_FOUND: The command "nope" was not found.');
    assert.equal(t.connections.length, 1);
    await assert.rejects(t.host.start('lost'), (error) => isHostError(error, 'COMMAND_NOT_FOUND'));
    await t.host.close();
  });

  test('one server’s failure touches no other', async () => {
    const t = new TestHost();
    await t.user({ a: node, b: { ...node, command: 'other' } });
    t.servers[0]?.crash(exited());
    await settle();
    assert.match(t.show(), /^a: restarting.*\nb: running/);
    await t.host.close();
  });

  test('starting and stopping by hand, also while it starts, never runs two processes at once', async () => {
    const t = new TestHost();
    let alive = 0;
    let most = 0;
    t.connect = () => {
      const server = new ScriptedServer();
      most = Math.max(most, ++alive);
      server.transport.onClose(() => alive--);
      return server;
    };
    await t.user({ a: { command: 'node' } });
    const first = t.host.start('a');
    const joined = t.host.start('a');
    await Promise.all([first, joined]);
    assert.equal(t.servers.length, 1);
    await Promise.all([t.host.restart('a'), t.host.stop('a'), t.host.start('a')]);
    await settle();
    assert.equal(t.host.server('a')?.state.kind, 'running');
    await Promise.all([t.host.restart('a'), t.host.stop('a')]);
    await settle();
    assert.equal(t.show(), 'a: stopped (byUser)');
    assert.equal(most, 1);
    assert.equal(alive, 0);
    await t.host.close();
  });

  test('a start during a stop waits until nothing is left of what ran before', async () => {
    const t = new TestHost();
    await t.user({ a: node });
    const ended = new Deferred<void>();
    t.server.heldOpen = ended.promise;
    const stopped = t.host.stop('a');
    const again = t.host.start('a');
    await settle();
    assert.equal(t.servers.length, 1);
    assert.equal(t.show(), 'a: stopping');
    ended.resolve();
    await Promise.all([stopped, again]);
    assert.equal(t.servers.length, 2);
    assert.equal(t.show(), 'a: running 2025-06-18 pid 102');
    await t.host.close();
  });

  test('an unknown server is a clear error', async () => {
    const t = new TestHost();
    await assert.rejects(t.host.start('none'), (error) => isHostError(error, 'UNKNOWN_SERVER'));
    await t.host.close();
  });
});

suite('Changed settings', () => {
  test('take effect without a reload, and restart a server only where its connection changed', async () => {
    const t = new TestHost();
    await t.user({ a: node, b: { command: 'b', enabled: true } });
    await t.user({
      a: { ...node, tools: { hidden: ['x'] }, timeouts: { call: 5 } },
      b: { command: 'b', enabled: true },
    });
    assert.equal(t.servers.length, 2, 'nothing was restarted');
    await t.user({ a: { ...node, args: ['new'] }, b: { command: 'b', enabled: true } });
    assert.deepEqual(
      t.connections.map((connection) =>
        connection.kind === 'stdio' ? [connection.command, ...connection.args].join(' ') : '',
      ),
      ['node', 'b', 'node new'],
    );
    await t.user({ a: { ...node, args: ['new'], enabled: false } });
    assert.equal(t.show(), 'a: stopped (notStarted)');
    assert.equal(
      t.servers.every((server) => server.closed),
      true,
    );
    assert.deepEqual(t.changes.slice(-4), ['a settings', 'b removed', 'a state', 'a state']);
    await t.host.close();
  });

  test('with an error do not affect running servers and are reported at their position', async () => {
    const t = new TestHost();
    await t.user({ a: node });
    await t.user({ a: { ...node, args: 'oops' } });
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101 !a.args: Must be a list of texts.');
    await assert.rejects(t.host.restart('a'), (error) => isHostError(error, 'INVALID_SETTINGS'));
    await t.user({ a: node });
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101');
    assert.equal(t.servers.length, 1);
    await t.host.close();
  });

  test('that are invalid as a whole are reported even without a server', async () => {
    const t = new TestHost();
    let told = 0;
    t.host.onDidChangeProblems(() => told++);
    await t.user('nonsense');
    assert.deepEqual(
      t.host.problems().map((problem) => problem.message),
      ['Must be an object that maps server ids to entries.'],
    );
    await t.user({});
    await t.user({});
    assert.deepEqual(t.host.problems(), []);
    assert.equal(told, 2);
    await t.host.close();
  });

  test('follow the order in which they are written', async () => {
    const t = new TestHost();
    await t.user({ a: { command: 'a' }, b: { command: 'b' } });
    await t.user({ b: { command: 'b' }, c: { command: 'c' }, a: { command: 'a' } });
    assert.deepEqual(
      t.host.servers().map((server) => server.id),
      ['b', 'c', 'a'],
    );
    await t.host.close();
  });

  test('in Restricted Mode start nothing until the workspace is trusted', async () => {
    const t = new TestHost();
    await t.workspace({ a: node, b: { command: 'b' } }, false);
    assert.equal(t.show(), 'a: stopped (restrictedMode)\nb: stopped (restrictedMode)');
    await assert.rejects(t.host.start('a'), (error) => isHostError(error, 'NOT_TRUSTED'));
    assert.equal(t.connections.length, 0);
    await t.workspace({ a: node, b: { command: 'b' } });
    assert.equal(t.show(), 'a: running 2025-06-18 pid 101\nb: stopped (notStarted)');
    await t.host.close();
  });
});
