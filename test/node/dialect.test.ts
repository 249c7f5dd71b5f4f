import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  CancellationSource,
  Emitter,
  type Json,
  type JsonObject,
  NO_CANCELLATION,
  type SendHints,
  type Transport,
} from '../../src/core/index.ts';
import { InitializedSession } from '../../src/core/session/initializedSession.ts';
import { nodeClock } from '../../src/node/nodePorts.ts';
import { openStdio } from '../../src/node/process/stdio.ts';
import { openWebSocket } from '../../src/node/http/webSocket.ts';
import { failOnLeaks } from '../support/leaks.ts';
import { RecordingContext } from './transportRecorder.ts';

const SERVER = fileURLToPath(new URL('fixtures/dialectServer.mjs', import.meta.url));
const WAYS = ['lines', 'contentLength', 'ws'] as const;

/** Records the messages of a connection. */
class Wire implements Transport {
  readonly lines: string[] = [];
  readonly #inner: Transport;
  readonly onClose: Transport['onClose'];

  constructor(inner: Transport) {
    this.#inner = inner;
    this.onClose = inner.onClose;
  }

  start(receiver: (message: Json) => void): void {
    this.#inner.start((message) => {
      this.#note('<', message);
      receiver(message);
    });
  }

  send(message: Json, hints?: SendHints): void {
    this.#note('>', message);
    this.#inner.send(message, hints);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #note(direction: string, message: Json): void {
    const { jsonrpc: _, ...rest } = message as JsonObject;
    this.lines.push(`${direction} ${JSON.stringify(rest)}`);
  }
}

const HANDSHAKE =
  '{"server":{"name":"example-server","version":"1.0.0"},"serverCapabilities":{"supportsToolDiscovery":true,"supportsResourceDiscovery":true,"supportsNotifications":true}}';
const STANDARD_INITIALIZE =
  '{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","title":"Test","version":"1"}}}';
const OWN_INITIALIZE =
  '"method":"initialize","params":{"mcpVersion":"2025-06-18","clientCapabilities":{"supportsProgress":true,"supportsCancellation":true}}}';
const WEATHER_SCHEMA = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}';

suite('a server of the short dialect', function () {
  let stops: (() => Promise<unknown>)[];
  let heard: Emitter<string>;

  setup(() => {
    stops = [];
    heard = new Emitter();
  });
  teardown(async () => {
    for (const stop of stops.reverse()) await stop();
    heard.dispose();
  });
  failOnLeaks();

  const startSockets = async (flags: readonly string[]): Promise<string> => {
    const child: ChildProcess = spawn(process.execPath, [SERVER, 'ws', ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    stops.push(async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    });
    assert.ok(child.stderr !== null);
    const lines = createInterface({ input: child.stderr });
    const [line] = await once(lines, 'line');
    return `ws://127.0.0.1:${/^port (\d+)$/.exec(String(line))?.[1]}/`;
  };
  const openWire = async (way: (typeof WAYS)[number], flags: readonly string[]): Promise<Wire> => {
    if (way === 'ws') {
      const url = await startSockets(flags);
      const connection = { kind: 'remote', url, headers: {}, transport: 'websocket' } as const;
      return new Wire(openWebSocket(connection, new RecordingContext()).transport);
    }
    const inner = await openStdio({
      command: process.execPath,
      args: [SERVER, way, ...flags],
      cwd: undefined,
      env: process.env,
      framing: way,
      onStderr: () => undefined,
      onNoise: (line) => assert.fail(line),
    });
    return new Wire(inner);
  };
  const open = async (
    way: (typeof WAYS)[number],
    options: { readonly dialect?: 'auto' | 'off' | 'force'; readonly flags?: readonly string[] } = {},
  ): Promise<{ readonly session: InitializedSession; readonly wire: Wire }> => {
    const wire = await openWire(way, options.flags ?? []);
    stops.push(() => wire.close());
    const tell = (method: string) => (params: JsonObject) => heard.fire(`${method} ${JSON.stringify(params)}`);
    const notifications = ['notifications/tools/list_changed', 'notifications/resources/updated'];
    const session = await InitializedSession.open({
      transport: wire,
      clock: nodeClock,
      log: { log: () => undefined },
      client: { name: 'test', title: 'Test', version: '1' },
      startTimeoutMs: 10_000,
      features: [{ notifications: Object.fromEntries(notifications.map((method) => [method, tell(method)])) }],
      token: NO_CANCELLATION,
      dialect: options.dialect ?? 'auto',
      onNegotiated: () => undefined,
    });
    stops.push(async () => session.dispose());
    return { session, wire };
  };
  const patience = { timeoutMs: 10_000 };

  for (const way of WAYS)
    test(`is spoken to in its own words over ${way}`, async () => {
      const { session, wire } = await open(way);
      assert.equal(session.handshake.isDialect, true);
      await session.request('tools/list', {}, patience);
      await session.request('resources/list', {}, patience);
      await session.request('tools/call', { name: 'get_weather', arguments: { city: 'Zürich' } }, patience);
      const refused = await session.request('tools/call', { name: 'get_weather', arguments: {} }, patience);
      assert.deepEqual(refused, {
        content: [{ type: 'text', text: "Missing required parameter 'city'" }],
        isError: true,
      });
      const stop = new CancellationSource();
      await assert.rejects(
        session.request(
          'tools/call',
          { name: 'slow', arguments: {} },
          { ...patience, token: stop.token, onProgress: () => stop.cancel() },
        ),
        { code: 'CANCELLED' },
      );
      stop.dispose();
      const changes: string[] = [];
      const listening = heard.event((change) => changes.push(change));
      await session.request('tools/call', { name: 'grow', arguments: {} }, patience);
      listening.dispose();
      assert.deepEqual(changes, [
        'notifications/tools/list_changed {"added":[{"name":"new_tool","inputSchema":{"type":"object"}}],"removed":[]}',
        'notifications/resources/updated {"uri":"dialect003:user_files"}',
      ]);
      const ends: (string | undefined)[] = [];
      const ending = session.onClose(({ error }) => ends.push(error?.code));
      await session.transport.close();
      assert.deepEqual(ends, [undefined], 'that it goes when told to is no failure');
      ending.dispose();
      session.dispose();
      assert.deepEqual(wire.lines, [
        `> ${STANDARD_INITIALIZE}`,
        `< {"id":1,"result":${HANDSHAKE}}`,
        '> {"method":"initialized","params":{}}',
        '> {"id":3,"method":"tools/list"}',
        `< {"id":3,"result":[{"name":"get_weather","description":"Retrieve weather for a city","inputSchema":${WEATHER_SCHEMA}},{"name":"slow"},{"name":"grow"},{"name":"fail"}]}`,
        '> {"id":4,"method":"resources/list"}',
        '< {"id":4,"result":["user_files",{"uri":"file:///notes","name":"notes"}]}',
        '> {"id":5,"method":"tools/invoke","params":{"name":"get_weather","arguments":{"city":"Zürich"}}}',
        '< {"id":5,"result":{"status":"success","output":{"temperature":89,"condition":"Sunny","city":"Zürich"}}}',
        '> {"id":6,"method":"tools/invoke","params":{"name":"get_weather","arguments":{}}}',
        `< {"id":6,"error":{"code":4001,"message":"Missing required parameter 'city'"}}`,
        '> {"id":7,"method":"tools/invoke","params":{"name":"slow","arguments":{}}}',
        '< {"method":"progress","params":{"id":7,"percent":42,"message":"Searching..."}}',
        '> {"method":"cancel","params":{"id":7}}',
        '> {"id":8,"method":"tools/invoke","params":{"name":"grow","arguments":{}}}',
        '< {"id":7,"result":null}',
        '< {"method":"tools/changed","params":{"added":[{"name":"new_tool"}],"removed":[]}}',
        '< {"method":"resources/changed","params":{"updated":["user_files"]}}',
        '< {"id":8,"result":{"status":"ok","output":"grown"}}',
        '> {"id":9,"method":"shutdown"}',
        '< {"id":9,"result":null}',
        '> {"method":"exit"}',
      ]);
    });

  test('that wants its own words at once is asked again, on the same connection', async () => {
    const { session, wire } = await open('lines', { flags: ['--picky'] });
    await session.request('tools/call', { name: 'fail', arguments: {} }, patience);
    assert.deepEqual(wire.lines, [
      `> ${STANDARD_INITIALIZE}`,
      '< {"id":1,"error":{"code":-32602,"message":"mcpVersion is required"}}',
      `> {"id":2,${OWN_INITIALIZE}`,
      `< {"id":2,"result":${HANDSHAKE}}`,
      '> {"method":"initialized","params":{}}',
      '> {"id":3,"method":"tools/invoke","params":{"name":"fail","arguments":{}}}',
      '< {"id":3,"result":{"status":"failed","output":"No luck."}}',
    ]);
    session.dispose();
    await session.transport.close();
  });

  test('is asked in its own words from the first one where the settings say so', async () => {
    const { session, wire } = await open('contentLength', { dialect: 'force', flags: ['--picky'] });
    assert.deepEqual(wire.lines.slice(0, 2), [`> {"id":1,${OWN_INITIALIZE}`, `< {"id":1,"result":${HANDSHAKE}}`]);
    session.dispose();
    await session.transport.close();
  });

  test('is no server where the settings know no dialect', async () => {
    await assert.rejects(open('lines', { dialect: 'off' }), { code: 'HANDSHAKE_FAILED' });
    await assert.rejects(open('lines', { dialect: 'off', flags: ['--picky'] }), { code: 'HANDSHAKE_FAILED' });
  });

  test('that does not answer the farewell is ended all the same', async () => {
    const { session, wire } = await open('lines', { flags: ['--mute'] });
    session.dispose();
    await session.transport.close();
    assert.deepEqual(wire.lines.slice(-2), ['> {"id":3,"method":"shutdown"}', '> {"method":"exit"}']);
  });
});
