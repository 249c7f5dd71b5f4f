import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { Peer } from '../../../../src/core/rpc/peer.ts';
import { type ListenOptions, ListenStream } from '../../../../src/core/session/listenStream.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { NO_ANSWER, ScriptedServer } from '../../../support/scriptedServer.ts';
import { heard } from './statelessServer.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const TOOLS = { toolsListChanged: true, promptsListChanged: false, resourcesListChanged: false };

/** A stream with a scripted server. */
class Bench {
  readonly clock = new FakeClock();
  readonly server = new ScriptedServer({ 'subscriptions/listen': () => NO_ANSWER });
  readonly logs: string[] = [];
  readonly told: string[] = [];
  readonly stream: ListenStream;
  readonly #peer: Peer;

  constructor(kinds: Partial<ListenOptions['kinds']> = TOOLS) {
    const { clock } = this;
    const log = { log: (level: string, message: string) => void this.logs.push(`${level}: ${message}`) };
    this.#peer = new Peer(
      this.server.transport,
      {
        request: () => ({}),
        notification: (method, params) => {
          if (!this.stream.take(method, params)) this.told.push(`passed ${method}`);
        },
      },
      { clock, log: (level, message) => log.log(level, message) },
    );
    this.stream = new ListenStream({
      peer: this.#peer,
      clock,
      log,
      kinds,
      envelope: (params) => params,
      deliver: (method, params) => this.told.push(`${method}${named(params)}`),
    });
  }

  static async started(kinds?: Partial<ListenOptions['kinds']>): Promise<Bench> {
    const bench = new Bench(kinds);
    bench.stream.start();
    await settle();
    return bench;
  }

  /** Starts, and acknowledges the first stream. */
  static async listening(kinds?: Partial<ListenOptions['kinds']>): Promise<Bench> {
    const bench = await Bench.started(kinds);
    await bench.acknowledge(1);
    return bench;
  }

  async acknowledge(id: number | string, granted?: JsonObject): Promise<void> {
    const asked = this.server.messages.find((message) => message['id'] === Number(id))?.['params'] as JsonObject;
    const notifications = granted ?? asked['notifications'] ?? null;
    this.server.notify('notifications/subscriptions/acknowledged', { notifications, _meta: { [SUBSCRIPTION]: id } });
    await settle();
  }

  async tell(id: number | string, method = 'notifications/tools/list_changed', params: JsonObject = {}): Promise<void> {
    this.server.notify(method, { ...params, _meta: { [SUBSCRIPTION]: id } });
    await settle();
  }

  /** Ends a stream like a server without further messages. */
  async end(id: number): Promise<void> {
    this.server.answer(id, {});
    await settle();
  }

  async refuse(id: number, code: number, message = 'no'): Promise<void> {
    this.server.say({ jsonrpc: '2.0', id, error: { code, message } });
    await settle();
  }

  /** Subscribes. Adds the outcome to `told`. */
  subscribe(uri: string, source = new CancellationSource()): void {
    this.stream.add(uri, source.token).then(
      () => this.told.push(`heard ${uri}`),
      (error: unknown) =>
        this.told.push(isHostError(error) ? `${error.code} (${error.layer}, ${error.effect})` : String(error)),
    );
  }

  /** Messages to the server since the last call. */
  transcript(): readonly string[] {
    const lines = heard(this.server).map((line) => line.replace('subscriptions/listen {"notifications":', 'listen '));
    return lines.slice(this.#shown, (this.#shown = lines.length)).map((line) => line.replace(/^(listen .*)\}$/, '$1'));
  }
  #shown = 0;

  async close(): Promise<void> {
    this.stream.dispose();
    await settle();
    this.#peer.dispose();
    await this.server.transport.close();
    await settle();
    assert.equal(this.clock.waiting, 0);
  }
}

function named({ uri }: JsonObject): string {
  return typeof uri === 'string' ? ` ${uri}` : '';
}

const CANCELLED = (id: number): string =>
  `notifications/cancelled {"requestId":${id},"reason":"Cancelled by the user."}`;

suite('A stream of changes', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('is not opened while nothing is wanted', async () => {
    bench = await Bench.started({});
    assert.deepEqual(bench.transcript(), []);
    bench.stream.remove('mem://never');
    await settle();
    assert.deepEqual(bench.transcript(), []);
  });

  for (const [kind, filter] of [
    ['toolsListChanged', 'tools'],
    ['promptsListChanged', 'prompts'],
    ['resourcesListChanged', 'resources'],
  ] as const)
    test(`asks for changed ${filter} alone`, async () => {
      bench = await Bench.started({ [kind]: true });
      assert.deepEqual(bench.transcript(), [`listen {"${kind}":true}`]);
    });

  test('passes on what belongs to no stream, and drops what belongs to another', async () => {
    bench = await Bench.listening();
    bench.server.notify('notifications/message', {});
    await bench.tell('01');
    await bench.tell(2);
    await bench.tell('1');
    assert.deepEqual(bench.told, ['passed notifications/message', 'notifications/tools/list_changed']);
    assert.deepEqual(bench.logs, [
      'debug: notifications/tools/list_changed came for a subscription that is not open.',
      'debug: notifications/tools/list_changed came for a subscription that is not open.',
    ]);
  });

  test('lasts however long the server is silent', async () => {
    bench = await Bench.listening();
    await bench.clock.advance(24 * 3600 * 1000);
    await bench.tell(1);
    assert.deepEqual(bench.told, ['notifications/tools/list_changed']);
    assert.deepEqual(bench.transcript(), ['listen {"toolsListChanged":true}']);
    assert.equal(bench.clock.waiting, 0);
  });

  test('that is acknowledged for the first time has nothing to catch up on', async () => {
    bench = await Bench.listening({ toolsListChanged: true, promptsListChanged: true });
    assert.deepEqual(bench.told, []);
  });

  test('is opened once for all subscriptions of one turn', async () => {
    bench = await Bench.listening();
    bench.subscribe('mem://a');
    bench.subscribe('mem://b');
    await settle();
    bench.subscribe('mem://c');
    await settle();
    await bench.acknowledge(2);
    await bench.acknowledge(3);
    assert.deepEqual(bench.transcript(), [
      'listen {"toolsListChanged":true}',
      'listen {"toolsListChanged":true,"resourceSubscriptions":["mem://a","mem://b"]}',
      'listen {"toolsListChanged":true,"resourceSubscriptions":["mem://a","mem://b","mem://c"]}',
      CANCELLED(1),
      CANCELLED(2),
    ]);
    assert.deepEqual(bench.told, ['heard mem://a', 'heard mem://b', 'heard mem://c']);
  });

  test('is opened again without a resource that is no longer wanted', async () => {
    bench = await Bench.listening();
    bench.subscribe('mem://a');
    await settle();
    await bench.acknowledge(2);
    bench.stream.remove('mem://b');
    bench.stream.remove('mem://a');
    bench.stream.remove('mem://a');
    await settle();
    assert.deepEqual(bench.transcript().slice(2), [CANCELLED(1), 'listen {"toolsListChanged":true}']);
  });

  test('is closed without subscriptions, and opened for the next resource', async () => {
    bench = await Bench.started({});
    bench.subscribe('mem://a');
    await settle();
    await bench.acknowledge(1);
    bench.stream.remove('mem://a');
    await settle();
    await bench.clock.advance(120_000);
    bench.subscribe('mem://b');
    await settle();
    await bench.acknowledge(2);
    assert.deepEqual(bench.transcript(), [
      'listen {"resourceSubscriptions":["mem://a"]}',
      CANCELLED(1),
      'listen {"resourceSubscriptions":["mem://b"]}',
    ]);
    assert.deepEqual(bench.told, ['heard mem://a', 'heard mem://b']);
  });

  test('is closed when its only resource is left before the server acknowledges it', async () => {
    bench = await Bench.started({});
    bench.subscribe('mem://a');
    bench.stream.remove('mem://a');
    await settle();
    assert.deepEqual(bench.transcript(), [], 'left in the same turn');
    bench.subscribe('mem://b');
    await settle();
    bench.stream.remove('mem://b');
    await settle();
    assert.deepEqual(bench.transcript(), ['listen {"resourceSubscriptions":["mem://b"]}', CANCELLED(1)]);
    assert.deepEqual(bench.told, ['CONNECTION_CLOSED (server, none)', 'CANCELLED (host, unknown)']);
  });

  test('for a resource alone is opened again when it ends', async () => {
    bench = await Bench.started({});
    bench.subscribe('mem://a');
    await settle();
    await bench.acknowledge(1);
    await bench.end(1);
    await bench.tell(1);
    assert.deepEqual(bench.logs, ['debug: notifications/tools/list_changed came for a subscription that is not open.']);
    await bench.clock.advance(1_000);
    await bench.acknowledge(2);
    assert.deepEqual(bench.told, ['heard mem://a', 'notifications/resources/updated mem://a']);
  });

  test('may be acknowledged twice', async () => {
    bench = await Bench.listening();
    await bench.acknowledge(1);
    await bench.tell(1);
    assert.deepEqual(bench.told, ['notifications/tools/list_changed']);
    assert.deepEqual(bench.transcript(), ['listen {"toolsListChanged":true}']);
  });

  test('that the server does not acknowledge is given up after thirty seconds, and the older one stays', async () => {
    bench = await Bench.listening();
    bench.subscribe('mem://a');
    await bench.clock.advance(29_999);
    assert.deepEqual(bench.told, []);
    await bench.clock.advance(1);
    assert.deepEqual(bench.told, ['CONNECTION_CLOSED (server, none)']);
    await bench.tell(1);
    await bench.tell(2);
    assert.deepEqual(bench.told.slice(1), ['notifications/tools/list_changed']);
    assert.deepEqual(bench.transcript().slice(2), [CANCELLED(2)]);
    await bench.clock.advance(120_000);
    assert.deepEqual(bench.transcript(), []);
  });

  test('that is the only one stays open without an acknowledgement, and may have it later', async () => {
    bench = new Bench({});
    bench.subscribe('mem://a');
    await bench.clock.advance(30_000);
    assert.deepEqual(bench.told, ['CONNECTION_CLOSED (server, none)']);
    await bench.acknowledge(1);
    await bench.tell(1, 'notifications/resources/updated', { uri: 'mem://a' });
    assert.deepEqual(bench.told.slice(1), ['notifications/resources/updated mem://a']);
    assert.deepEqual(bench.transcript(), ['listen {"resourceSubscriptions":["mem://a"]}']);
    bench.subscribe('mem://b');
    await settle();
    assert.deepEqual(bench.transcript(), ['listen {"resourceSubscriptions":["mem://a","mem://b"]}']);
  });

  test('that ends before it is acknowledged says how it ended', async () => {
    bench = new Bench({});
    bench.subscribe('mem://a');
    await settle();
    await bench.end(1);
    assert.deepEqual(bench.told, ['CONNECTION_CLOSED (server, none)']);
  });

  test('no longer asks for a resource that was refused, cancelled or left out', async () => {
    bench = await Bench.listening();
    const source = new CancellationSource();
    bench.subscribe('mem://refused');
    await settle();
    await bench.refuse(2, -32602);
    bench.subscribe('mem://cancelled', source);
    await settle();
    source.cancel();
    await settle();
    bench.subscribe('mem://left-out');
    await settle();
    await bench.acknowledge(4, { resourceSubscriptions: ['mem://other'] });
    bench.subscribe('mem://late');
    await bench.clock.advance(30_000);
    bench.subscribe('mem://last');
    await settle();
    assert.deepEqual(bench.told, [
      'REMOTE_ERROR (server, unknown)',
      'CANCELLED (host, unknown)',
      'CAPABILITY_MISSING (server, none)',
      'CONNECTION_CLOSED (server, none)',
    ]);
    assert.equal(
      bench.transcript().at(-1),
      'listen {"toolsListChanged":true,"resourceSubscriptions":["mem://late","mem://last"]}',
    );
  });

  test('that a newer one was to replace is kept when the newer one fails', async () => {
    bench = await Bench.listening();
    bench.subscribe('mem://a');
    await settle();
    await bench.refuse(2, -32000, 'busy');
    await bench.clock.advance(120_000);
    await bench.tell(1);
    assert.deepEqual(bench.told, ['REMOTE_ERROR (server, unknown)', 'notifications/tools/list_changed']);
    assert.equal(bench.transcript().length, 2);
    assert.deepEqual(bench.logs, []);
  });

  test('that ended is opened again after a pause that doubles up to a minute', async () => {
    bench = await Bench.listening();
    const pauses: number[] = [];
    for (let id = 1; id <= 9; id++) {
      await bench.end(id);
      let pause = 0;
      while (bench.server.messages.length === id && pause < 120_000) {
        await bench.clock.advance(1_000);
        pause += 1_000;
      }
      pauses.push(pause);
    }
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    assert.deepEqual(bench.logs, []);
  });

  for (const [lived, pause] of [
    [20_000, 2_000],
    [20_001, 1_000],
  ] as const)
    test(`that ended after ${lived} ms is opened again after ${pause} ms`, async () => {
      bench = await Bench.listening();
      await bench.end(1);
      await bench.clock.advance(1_000);
      await bench.clock.advance(lived);
      await bench.end(2);
      await bench.clock.advance(pause - 1);
      assert.equal(bench.server.messages.length, 2);
      await bench.clock.advance(1);
      assert.equal(bench.server.messages.length, 3);
    });

  test('opened again takes everything that it is granted for changed', async () => {
    bench = await Bench.listening({ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true });
    bench.subscribe('mem://a');
    await settle();
    await bench.acknowledge(2);
    await bench.end(2);
    await bench.clock.advance(1_000);
    await bench.acknowledge(3, { promptsListChanged: true, resourceSubscriptions: ['mem://a'] });
    await bench.end(3);
    await bench.clock.advance(2_000);
    await bench.acknowledge(4, { toolsListChanged: true, resourcesListChanged: true });
    assert.deepEqual(bench.told, [
      'heard mem://a',
      'notifications/prompts/list_changed',
      'notifications/resources/updated mem://a',
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
    ]);
  });

  test('is opened at once for a new resource while it waits to be opened again', async () => {
    bench = await Bench.listening();
    await bench.end(1);
    bench.subscribe('mem://a');
    await settle();
    await bench.clock.advance(60_000);
    assert.deepEqual(bench.transcript(), [
      'listen {"toolsListChanged":true}',
      'listen {"toolsListChanged":true,"resourceSubscriptions":["mem://a"]}',
    ]);
  });

  test('is opened once when several that were not acknowledged end', async () => {
    bench = await Bench.started();
    bench.subscribe('mem://a');
    await settle();
    await bench.end(1);
    await bench.end(2);
    await bench.clock.advance(1_999);
    assert.equal(bench.server.messages.length, 2);
    await bench.clock.advance(60_000);
    assert.equal(bench.server.messages.length, 3);
  });

  test('is not opened again when the last resource was left meanwhile', async () => {
    bench = await Bench.started({});
    bench.subscribe('mem://a');
    await settle();
    await bench.refuse(1, -32000);
    await bench.clock.advance(60_000);
    assert.equal(bench.server.messages.length, 1);
  });

  for (const code of [-32601, -32602, -32600])
    test(`is not opened again after the error ${code}`, async () => {
      bench = await Bench.started();
      await bench.refuse(1, code, 'not here');
      await bench.clock.advance(120_000);
      assert.equal(bench.server.messages.length, 1);
      assert.deepEqual(bench.logs, ['warn: The server announces no changes: not here']);
    });

  test('is opened again after any other error', async () => {
    bench = await Bench.started();
    await bench.refuse(1, -32000, 'busy');
    await bench.clock.advance(1_000);
    assert.equal(bench.server.messages.length, 2);
    assert.deepEqual(bench.logs, ['debug: The stream of changes ended: busy']);
  });

  test('is cancelled with its owner, and never opened again', async () => {
    bench = await Bench.listening();
    bench.subscribe('mem://a');
    await settle();
    bench.stream.dispose();
    bench.stream.remove('mem://a');
    await settle();
    assert.deepEqual(bench.told, ['CANCELLED (host, unknown)']);
    assert.deepEqual(bench.transcript().slice(2), [CANCELLED(1), CANCELLED(2)]);
    bench.subscribe('mem://b');
    await bench.clock.advance(120_000);
    assert.deepEqual(bench.told.slice(1), ['CONNECTION_CLOSED (server, none)']);
    assert.deepEqual(bench.transcript(), []);
  });

  test('that waits to be opened again ends with its owner', async () => {
    bench = await Bench.listening();
    await bench.end(1);
    assert.equal(bench.clock.waiting, 1);
    bench.stream.dispose();
    assert.equal(bench.clock.waiting, 0);
  });
});
