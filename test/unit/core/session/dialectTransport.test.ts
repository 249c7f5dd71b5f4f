import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HostError } from '../../../../src/core/base/errors.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/core/base/json.ts';
import type { MemberPath } from '../../../../src/core/base/unreadJson.ts';
import { createLinkedTransports, type MemoryTransport } from '../../../../src/core/rpc/memoryTransport.ts';
import type { DroppedMessage, Transport } from '../../../../src/core/rpc/transport.ts';
import { DialectTransport } from '../../../../src/core/session/dialectTransport.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { failOnLeaks } from '../../../support/leaks.ts';

const HANDSHAKE = {
  server: { name: 'example-server', version: '1.0.0' },
  serverCapabilities: { supportsToolDiscovery: true, supportsResourceDiscovery: true, supportsNotifications: true },
};

/** Both sides of a translation as text: the sent and received messages. */
class Bench {
  readonly clock = new FakeClock();
  readonly lines: string[] = [];
  readonly logged: string[] = [];
  readonly transport: DialectTransport;
  readonly server: MemoryTransport;
  readonly host: MemoryTransport;
  readonly received: Json[] = [];

  constructor(initialized?: Json, wrap: (inner: Transport) => Transport = (inner) => inner) {
    [this.host, this.server] = createLinkedTransports();
    const log = { log: (level: string, message: string) => void this.logged.push(`${level} ${message}`) };
    this.transport = new DialectTransport(wrap(this.host), { clock: this.clock, log, initialized });
    this.server.start((message) => this.lines.push(`wire    > ${bare(message)}`));
    this.transport.onClose(({ error }) => this.lines.push(`closed ${error?.code ?? 'on purpose'}`));
    this.listen();
  }

  listen(name = 'inside'): void {
    this.transport.start((message) => {
      this.received.push(message);
      this.lines.push(`${name}  < ${bare(message)}`);
    });
  }

  async ask(id: number, method: string, params: Json = {}): Promise<void> {
    await this.say({ id, method, params });
  }

  async say(message: JsonObject): Promise<void> {
    this.lines.push(`inside  > ${bare(message)}`);
    this.transport.send({ jsonrpc: '2.0', ...message });
    await settle();
  }

  async reply(message: JsonObject): Promise<void> {
    this.lines.push(`wire    < ${bare(message)}`);
    this.server.send({ jsonrpc: '2.0', ...message });
    await settle();
  }

  /** Messages since the last call. */
  transcript(): readonly string[] {
    return this.lines.splice(0);
  }

  async close(): Promise<void> {
    await this.host.close();
    await settle();
    await this.transport.close();
  }
}

function bare(message: Json): string {
  if (!isJsonObject(message)) return JSON.stringify(message);
  const { jsonrpc: _, ...rest } = message;
  return JSON.stringify(rest);
}

suite('the short dialect', () => {
  let bench: Bench;
  teardown(() => bench.close());
  failOnLeaks();

  test('the handshake', async () => {
    bench = new Bench();
    await bench.ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} });
    await bench.reply({ id: 1, result: HANDSHAKE });
    await bench.say({ method: 'notifications/initialized' });
    assert.deepEqual(bench.transcript(), [
      'inside  > {"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}',
      'wire    > {"id":1,"method":"initialize","params":{"mcpVersion":"2025-06-18","clientCapabilities":{"supportsProgress":true,"supportsCancellation":true}}}',
      `wire    < {"id":1,"result":${JSON.stringify(HANDSHAKE)}}`,
      `inside  < {"id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"example-server","version":"1.0.0"},"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true},"experimental":{"dialect003":${JSON.stringify(HANDSHAKE.serverCapabilities)}}}}}`,
      'inside  > {"method":"notifications/initialized"}',
      'wire    > {"method":"initialized","params":{}}',
    ]);
  });

  test('each row of the table', async () => {
    bench = new Bench(HANDSHAKE);
    await bench.ask(2, 'initialize', { protocolVersion: '2025-11-25' });
    assert.equal(bench.transcript().length, 2, 'what was answered before is not asked again');

    await bench.ask(3, 'tools/list');
    await bench.reply({ id: 3, result: [{ name: 'get_weather' }] });
    await bench.ask(4, 'resources/list');
    await bench.reply({ id: '4', result: ['user_files'] });
    await bench.ask(5, 'tools/call', { name: 'get_weather', arguments: { city: 'Phoenix' } });
    await bench.reply({ id: 5, result: { status: 'success', output: { temperature: 89 } } });
    await bench.ask(6, 'tools/call', { name: 'get_weather', arguments: {} });
    await bench.reply({ id: 6, error: { code: 4001, message: "Missing required parameter 'city'" } });
    await bench.ask(7, 'ping');
    await bench.ask(8, 'own/thing', { a: 1 });
    await bench.reply({ id: 8, result: null });
    await bench.reply({ method: 'tools/changed', params: { added: [{ name: 'n' }], removed: ['d'] } });
    await bench.reply({ method: 'resources/changed', params: { updated: ['user_files'] } });
    assert.deepEqual(bench.transcript(), [
      'inside  > {"id":3,"method":"tools/list","params":{}}',
      'wire    > {"id":3,"method":"tools/list"}',
      'wire    < {"id":3,"result":[{"name":"get_weather"}]}',
      'inside  < {"id":3,"result":{"tools":[{"name":"get_weather","inputSchema":{"type":"object"}}]}}',
      'inside  > {"id":4,"method":"resources/list","params":{}}',
      'wire    > {"id":4,"method":"resources/list"}',
      'wire    < {"id":"4","result":["user_files"]}',
      'inside  < {"id":4,"result":{"resources":[{"uri":"dialect003:user_files","name":"user_files"}]}}',
      'inside  > {"id":5,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Phoenix"}}}',
      'wire    > {"id":5,"method":"tools/invoke","params":{"name":"get_weather","arguments":{"city":"Phoenix"}}}',
      'wire    < {"id":5,"result":{"status":"success","output":{"temperature":89}}}',
      'inside  < {"id":5,"result":{"content":[{"type":"text","text":"{\\"temperature\\":89}"}],"structuredContent":{"temperature":89}}}',
      'inside  > {"id":6,"method":"tools/call","params":{"name":"get_weather","arguments":{}}}',
      'wire    > {"id":6,"method":"tools/invoke","params":{"name":"get_weather","arguments":{}}}',
      `wire    < {"id":6,"error":{"code":4001,"message":"Missing required parameter 'city'"}}`,
      `inside  < {"id":6,"result":{"content":[{"type":"text","text":"Missing required parameter 'city'"}],"isError":true}}`,
      'inside  > {"id":7,"method":"ping","params":{}}',
      'inside  < {"id":7,"result":{}}',
      'inside  > {"id":8,"method":"own/thing","params":{"a":1}}',
      'wire    > {"id":8,"method":"own/thing","params":{"a":1}}',
      'wire    < {"id":8,"result":null}',
      'inside  < {"id":8,"result":{}}',
      'wire    < {"method":"tools/changed","params":{"added":[{"name":"n"}],"removed":["d"]}}',
      'inside  < {"method":"notifications/tools/list_changed","params":{"added":[{"name":"n","inputSchema":{"type":"object"}}],"removed":["d"]}}',
      'wire    < {"method":"resources/changed","params":{"updated":["user_files"]}}',
      'inside  < {"method":"notifications/resources/list_changed","params":{}}',
      'inside  < {"method":"notifications/resources/updated","params":{"uri":"dialect003:user_files"}}',
    ]);
  });

  test('progress finds its token, and a late answer to a cancelled request is ignored', async () => {
    bench = new Bench(HANDSHAKE);
    await bench.ask(3, 'tools/call', { name: 'slow', _meta: { progressToken: 'T' } });
    await bench.reply({ method: 'progress', params: { id: 3, percent: 42, message: 'Searching...' } });
    await bench.say({ method: 'notifications/cancelled', params: { requestId: 3, reason: 'Enough.' } });
    await bench.say({ method: 'notifications/cancelled', params: { requestId: 3 } });
    await bench.say({ method: 'notifications/cancelled', params: { requestId: 99 } });
    await bench.reply({ method: 'progress', params: { id: 3, percent: 43 } });
    await bench.reply({ id: 3, result: null });
    assert.deepEqual(bench.transcript(), [
      'inside  > {"id":3,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":"T"}}}',
      'wire    > {"id":3,"method":"tools/invoke","params":{"name":"slow","arguments":{}}}',
      'wire    < {"method":"progress","params":{"id":3,"percent":42,"message":"Searching..."}}',
      'inside  < {"method":"notifications/progress","params":{"progressToken":"T","progress":42,"total":100,"message":"Searching..."}}',
      'inside  > {"method":"notifications/cancelled","params":{"requestId":3,"reason":"Enough."}}',
      'wire    > {"method":"cancel","params":{"id":3}}',
      'inside  > {"method":"notifications/cancelled","params":{"requestId":3}}',
      'inside  > {"method":"notifications/cancelled","params":{"requestId":99}}',
      'wire    < {"method":"progress","params":{"id":3,"percent":43}}',
      'wire    < {"id":3,"result":null}',
    ]);
    assert.deepEqual(bench.logged, ['warn Ignored an answer to 3, for which nobody waits.']);
  });

  test('requests of the server are its own, and so are the answers to them', async () => {
    bench = new Bench(HANDSHAKE);
    await bench.reply({ id: 's1', method: 'ping', params: {} });
    await bench.say({ id: 's1', result: {} });
    assert.deepEqual(bench.transcript(), [
      'wire    < {"id":"s1","method":"ping","params":{}}',
      'inside  < {"id":"s1","method":"ping","params":{}}',
      'inside  > {"id":"s1","result":{}}',
      'wire    > {"id":"s1","result":{}}',
    ]);
  });

  test('the farewell: shutdown, exit, and the end of the connection', async () => {
    bench = new Bench(HANDSHAKE);
    await bench.ask(3, 'tools/list');
    const closed = bench.transport.close();
    await settle();
    await bench.say({ method: 'notifications/cancelled', params: { requestId: 3 } });
    await bench.reply({ id: 3, result: [] });
    await bench.reply({ id: 4, result: null });
    await closed;
    assert.deepEqual(bench.transcript().slice(2), [
      'wire    > {"id":4,"method":"shutdown"}',
      'inside  > {"method":"notifications/cancelled","params":{"requestId":3}}',
      'wire    < {"id":3,"result":[]}',
      'inside  < {"id":3,"result":{"tools":[]}}',
      'wire    < {"id":4,"result":null}',
      'wire    > {"method":"exit"}',
      'closed on purpose',
    ]);
  });

  test('a server that does not answer the farewell is left after a second', async () => {
    bench = new Bench(HANDSHAKE);
    const closed = bench.transport.close();
    assert.equal(bench.transport.close(), closed);
    await bench.clock.advance(999);
    assert.deepEqual(bench.transcript(), ['wire    > {"id":1,"method":"shutdown"}']);
    await bench.clock.advance(1);
    await closed;
    await settle();
    assert.deepEqual(bench.transcript(), ['wire    > {"method":"exit"}', 'closed on purpose']);
    assert.equal(bench.clock.waiting, 0);
  });

  test('a server that never began, or is gone, is bidden no farewell', async () => {
    bench = new Bench();
    await bench.ask(1, 'initialize');
    await bench.reply({ id: 1, error: { code: -32602, message: 'no' } });
    await bench.transport.close();
    await settle();
    assert.deepEqual(bench.transcript().slice(3), [
      'inside  < {"id":1,"error":{"code":-32602,"message":"no"}}',
      'closed on purpose',
    ]);
    bench = new Bench(HANDSHAKE);
    bench.host.fail(new HostError('SERVER_EXITED', 'gone', { layer: 'process' }));
    await settle();
    await bench.transport.close();
    assert.deepEqual(bench.transcript(), ['closed SERVER_EXITED']);
  });

  test('a server that dies during its farewell is not waited for', async () => {
    bench = new Bench(HANDSHAKE);
    const closed = bench.transport.close();
    await settle();
    bench.host.fail(new HostError('SERVER_EXITED', 'gone', { layer: 'process' }));
    await closed;
    assert.deepEqual(bench.transcript(), ['wire    > {"id":1,"method":"shutdown"}', 'closed SERVER_EXITED']);
    assert.equal(bench.clock.waiting, 0);
  });

  test('another receiver takes over, on it and on what it stands on', async () => {
    bench = new Bench(HANDSHAKE);
    const first: Json[] = [];
    const [one, other] = createLinkedTransports();
    one.start((message) => {
      first.push(message);
      // In the middle of the received messages.
      one.start((later) => first.push({ later }));
    });
    for (const n of [1, 2, 3]) other.send({ n });
    await settle();
    await one.close();
    assert.deepEqual(first, [{ n: 1 }, { later: { n: 2 } }, { later: { n: 3 } }]);

    await bench.reply({ method: 'tools/changed' });
    bench.listen('another');
    await bench.reply({ method: 'tools/changed' });
    assert.deepEqual(bench.transcript(), [
      'wire    < {"method":"tools/changed"}',
      'inside  < {"method":"notifications/tools/list_changed","params":{}}',
      'wire    < {"method":"tools/changed"}',
      'another  < {"method":"notifications/tools/list_changed","params":{}}',
    ]);
  });

  test('an error with its data, and members that are left unread below', async () => {
    const unread: string[] = [];
    bench = new Bench(HANDSHAKE, (inner) =>
      Object.assign(inner, { leaveUnread: (paths: readonly MemberPath[]) => unread.push(JSON.stringify(paths)) }),
    );
    await bench.ask(3, 'own/thing');
    await bench.reply({ id: 3, error: { code: -32000, message: 'no', data: { why: 1 } } });
    assert.deepEqual(bench.received, [
      { jsonrpc: '2.0', id: 3, error: { code: -32000, message: 'no', data: { why: 1 } } },
    ]);
    bench.transport.leaveUnread([['params', 'state']]);
    assert.deepEqual(unread, ['[["params","state"]]']);
  });

  test('a message that was dropped below, a session that was renewed below', async () => {
    const dropped = new Emitter<DroppedMessage>();
    const renewed = new Emitter<Json>();
    const below = { onDropped: dropped.event, onRenewed: renewed.event, details: { kind: 'http' } } as const;
    bench = new Bench(HANDSHAKE, (inner) =>
      Object.assign(Object.create(inner), below, {
        start: inner.start.bind(inner),
        send: inner.send.bind(inner),
        close: inner.close.bind(inner),
      }),
    );
    const heard: Json[] = [];
    bench.transport.onDropped?.(({ id }) => heard.push(id ?? null));
    bench.transport.onRenewed?.((result) => heard.push(isJsonObject(result) ? (result['serverInfo'] ?? null) : null));
    await bench.ask(3, 'tools/list');
    dropped.fire({ id: 3, isRequest: false, error: new HostError('MESSAGE_TOO_LARGE', 'big', { layer: 'transport' }) });
    await bench.reply({ id: 3, result: [] });
    renewed.fire(HANDSHAKE);
    assert.deepEqual(heard, [3, HANDSHAKE.server]);
    assert.deepEqual(bench.received, [], 'a request has one end only');
    assert.deepEqual(bench.transport.details, { kind: 'http' });
    for (const emitter of [dropped, renewed]) emitter.dispose();
  });

  test('whatever comes, nothing throws, and every request has exactly one answer', async function () {
    this.timeout(60_000);
    const methods = ['initialize', 'tools/list', 'resources/list', 'tools/call', 'ping', 'resources/read', 'own'];
    const words = [
      'progress',
      'tools/changed',
      'resources/changed',
      'cancel',
      'notifications/progress',
      'tools/invoke',
    ];
    const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    const id = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }).map(String), anything);
    const entry = fc.record({ name: anything, uri: anything, inputSchema: anything }, { requiredKeys: [] });
    const outcome = fc.oneof(
      anything,
      fc.array(fc.oneof(entry, fc.string())),
      fc.record({ status: anything, output: anything, server: anything, content: anything }, { requiredKeys: [] }),
    );
    const failure = fc.record({ code: anything, message: anything, data: anything }, { requiredKeys: [] });
    const fromServer = fc.oneof(
      anything,
      fc.record({ id, result: outcome }),
      fc.record({ id, error: fc.oneof(failure, anything) }),
      fc.record({
        method: fc.constantFrom(...words),
        params: fc.oneof(anything, fc.record({ id, percent: anything, updated: anything }, { requiredKeys: [] })),
      }),
      fc.record({ id, method: fc.constantFrom(...words), params: anything }),
    ) as fc.Arbitrary<Json>;
    const step = fc.oneof(
      fc.record({ ask: fc.constantFrom(...methods), params: anything }),
      fc.record({ says: fromServer }),
    );
    bench = new Bench();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 24 }), outcome as fc.Arbitrary<Json>, async (steps, last) => {
        const own = new Bench();
        let asked = 0;
        for (const each of steps) {
          if ('says' in each) own.server.send(each.says);
          else own.transport.send({ jsonrpc: '2.0', id: ++asked, method: each.ask, params: each.params });
          await Promise.resolve();
          await Promise.resolve();
        }
        for (let answered = 1; answered <= asked; answered++) own.server.send({ id: answered, result: last });
        await settle();
        const ends = own.received
          .filter(isJsonObject)
          .filter(({ method, id: of }) => method === undefined && typeof of === 'number')
          .map((message) => message['id']);
        await own.close();
        assert.deepEqual(
          ends.sort((a, b) => Number(a) - Number(b)),
          Array.from({ length: asked }, (_, i) => i + 1),
        );
      }),
      { numRuns: 300 },
    );
  });
});
