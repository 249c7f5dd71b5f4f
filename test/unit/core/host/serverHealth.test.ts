import assert from 'node:assert/strict';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { TransportDetails } from '../../../../src/core/rpc/transport.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, NO_ANSWER, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
import { modernServer } from '../session/statelessServer.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** One server whose answers to pings the test decides. */
class Stage {
  readonly t = new TestHost();
  answersPing: () => JsonObject | typeof NO_ANSWER | ReturnType<typeof failWith> = () => ({});
  kind: TransportDetails['kind'] = 'stdio';

  constructor() {
    this.t.connect = () => this.server();
  }

  server(): ScriptedServer {
    const server = new ScriptedServer({
      'tools/list': () => ({ tools: [tool('work')] }),
      'tools/call': () => NO_ANSWER,
      ping: () => this.answersPing(),
    });
    Object.defineProperty(server.transport, 'details', { value: { kind: this.kind } });
    return server;
  }

  start(entry: JsonObject = {}): Promise<void> {
    return this.t.user({ a: { command: 'x', enabled: true, ...entry } });
  }

  get pings(): number {
    return this.t.servers.flatMap(({ heard }) => heard).filter((line) => line.startsWith('ping')).length;
  }

  get health(): unknown {
    return this.t.host.server('a')?.health;
  }

  /** Returns the failure of the call as text. */
  async call(): Promise<string> {
    try {
      await this.t.host.callTool({ server: 'a', tool: 'work', args: {}, route: 'gateway' });
      return 'answered';
    } catch (error) {
      assert.ok(isHostError(error));
      return error.code;
    }
  }
}

suite('The health of a server', () => {
  let stage: Stage;
  setup(() => (stage = new Stage()));
  teardown(async () => {
    await stage.t.host.close();
    assert.equal(stage.t.clock.waiting, 0, 'no timer is left');
  });

  test('is asked for by a ping after 30 seconds of silence, and not before', async () => {
    await stage.start();
    // The tool list came after the handshake and counts as the last message.
    await stage.t.clock.advance(39 * SECOND);
    assert.equal(stage.pings, 0);
    await stage.t.clock.advance(SECOND);
    assert.equal(stage.pings, 1);
    // The answer counts as a message: the next ping follows the next silence.
    await stage.t.clock.advance(29 * SECOND);
    assert.equal(stage.pings, 1);
    await stage.t.clock.advance(11 * SECOND);
    assert.deepEqual([stage.pings, stage.health], [2, undefined]);
  });

  test('is asked for after 30 seconds also if the clock is set back, and if the machine slept', async () => {
    await stage.start();
    stage.t.clock.setBack(24 * 60 * MINUTE);
    await stage.t.clock.advance(50 * SECOND);
    assert.equal(stage.pings, 1);
    stage.answersPing = () => NO_ANSWER;
    await stage.t.clock.advance(2 * MINUTE);
    assert.deepEqual(stage.health, { kind: 'notResponding' });
    const before = stage.pings;
    stage.t.clock.setBack(24 * 60 * MINUTE);
    stage.answersPing = () => ({});
    await stage.t.clock.advance(80 * SECOND);
    assert.deepEqual([stage.pings > before, stage.health], [true, undefined]);
    stage.t.clock.setBack(-8 * 60 * MINUTE);
    await stage.t.clock.advance(20 * SECOND);
    assert.equal(stage.health, undefined);
  });

  test('is not asked for while anything comes from the server', async () => {
    await stage.start();
    for (let i = 0; i < 30; i++) {
      await stage.t.clock.advance(9 * SECOND);
      stage.t.server.notify('notifications/message', { level: 'info', data: i });
    }
    assert.equal(stage.pings, 0);
  });

  test('is good whatever is answered, an error too', async () => {
    stage.answersPing = () => failWith(-32601, 'Method not found');
    await stage.start();
    await stage.t.clock.advance(10 * MINUTE);
    assert.deepEqual([stage.pings > 10, stage.health], [true, undefined]);
  });

  test('is bad after three misses in a row, which restarts nothing, and good again with the first word', async () => {
    stage.answersPing = () => NO_ANSWER;
    await stage.start();
    await stage.t.clock.advance(40 * SECOND + 29 * SECOND);
    assert.deepEqual([stage.pings, stage.health], [3, undefined]);
    stage.t.changes.length = 0;
    await stage.t.clock.advance(SECOND);
    assert.deepEqual([stage.health, stage.t.changes], [{ kind: 'notResponding' }, ['a state']]);
    await stage.t.clock.advance(10 * MINUTE);
    assert.deepEqual([stage.t.servers.length, stage.t.host.server('a')?.state.kind], [1, 'running']);
    assert.ok(stage.pings > 8 && stage.pings < 16, `${stage.pings} pings`);
    stage.t.server.notify('notifications/message', { level: 'info', data: 'I am back.' });
    await stage.t.clock.advance(10 * SECOND);
    assert.equal(stage.health, undefined);
  });

  test('is not bad after two misses and a late answer', async () => {
    stage.answersPing = () => (stage.pings === 3 ? {} : NO_ANSWER);
    await stage.start();
    await stage.t.clock.advance(40 * SECOND + 29 * SECOND);
    assert.deepEqual([stage.pings, stage.health], [3, undefined]);
    await stage.t.clock.advance(5 * MINUTE);
    assert.deepEqual(stage.health, { kind: 'notResponding' });
  });

  test('is that of a busy server while a tool call is running, which the user can cancel', async () => {
    stage.answersPing = () => NO_ANSWER;
    await stage.start({ timeouts: { call: 3600 } });
    await stage.t.clock.advance(10 * SECOND);
    const call = stage.call();
    await stage.t.clock.advance(MINUTE);
    assert.deepEqual(stage.health, { kind: 'busy', minutes: 1 });
    await stage.t.clock.advance(MINUTE);
    assert.deepEqual(stage.health, { kind: 'busy', minutes: 2 });
    stage.t.host.cancelCalls('a');
    assert.equal(await call, 'CANCELLED');
    await settle();
    assert.equal(
      stage.t.server.heard.at(-1),
      'notifications/cancelled {"requestId":3,"reason":"Cancelled by the user."}',
    );
    await stage.t.clock.advance(10 * SECOND);
    assert.deepEqual(stage.health, { kind: 'notResponding' });
  });

  test('is good while the server waits for an answer of the host', async () => {
    stage.answersPing = () => NO_ANSWER;
    stage.t.inputPorts.elicitor = { ...stage.t.inputPorts.elicitor, form: () => new Promise(() => undefined) };
    await stage.start();
    stage.t.server.say({
      jsonrpc: '2.0',
      id: 'q',
      method: 'elicitation/create',
      params: { message: 'Name?', requestedSchema: { type: 'object', properties: { n: { type: 'string' } } } },
    });
    await stage.t.clock.advance(5 * MINUTE);
    assert.deepEqual([stage.pings, stage.health], [0, undefined]);
  });

  test('is not asked for where the setting says so, from the next look on', async () => {
    await stage.start({ healthCheck: false });
    await stage.t.clock.advance(5 * MINUTE);
    assert.equal(stage.pings, 0);
    stage.answersPing = () => NO_ANSWER;
    await stage.start();
    await stage.t.clock.advance(5 * MINUTE);
    assert.deepEqual(stage.health, { kind: 'notResponding' });
    await stage.start({ healthCheck: false });
    await stage.t.clock.advance(10 * SECOND);
    assert.equal(stage.health, undefined);
  });

  test('is not asked for over HTTP, and over WebSocket it is', async () => {
    stage.kind = 'http';
    await stage.start();
    await stage.t.clock.advance(5 * MINUTE);
    assert.equal(stage.pings, 0);
    stage.kind = 'websocket';
    await stage.t.host.restart('a');
    await stage.t.clock.advance(40 * SECOND);
    assert.equal(stage.pings, 1);
  });

  test('is not asked for where the revision has no ping', async () => {
    stage.t.era = undefined;
    stage.t.connect = () => modernServer({ 'tools/list': () => ({ tools: [] }) });
    await stage.start();
    await stage.t.clock.advance(5 * MINUTE);
    assert.deepEqual([stage.pings, stage.t.host.server('a')?.state.kind], [0, 'running']);
  });

  test('costs one timer for all servers, and none once no server runs', async () => {
    const entries = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { command: 'x', enabled: true }]));
    await stage.t.user(entries);
    await stage.t.clock.advance(MINUTE);
    stage.t.clock.fired.length = 0;
    await stage.t.clock.advance(30 * SECOND);
    // Three checks, and the ping timeout of each server.
    assert.deepEqual(stage.t.clock.fired, Array(6).fill(10 * SECOND));
    for (const id of ['a', 'b', 'c']) await stage.t.host.stop(id);
    await stage.t.clock.advance(MINUTE);
    stage.t.clock.fired.length = 0;
    await stage.t.clock.advance(10 * MINUTE);
    assert.deepEqual(stage.t.clock.fired, []);
  });
});
