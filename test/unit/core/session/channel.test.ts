import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { HostError } from '../../../../src/core/base/errors.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import {
  answerBy,
  Channel,
  type ChannelOptions,
  declaredBy,
  featuresOf,
  notInRevision,
} from '../../../../src/core/session/channel.ts';
import type { SessionFeature } from '../../../../src/core/session/session.ts';
import { codecFor } from '../../../../src/core/wire/codec.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { watchDisposables } from '../../../support/leaks.ts';
import { ScriptedServer } from '../../../support/scriptedServer.ts';

class Bench {
  readonly clock = new FakeClock();
  readonly server = new ScriptedServer();
  readonly stop = new CancellationSource();
  readonly renewed = new Emitter<Json>();
  readonly logs: string[] = [];
  readonly told: string[] = [];
  readonly channel: Channel;

  constructor(features: readonly SessionFeature[] = [], options: Partial<ChannelOptions> = {}) {
    Object.assign(this.server.transport, { onRenewed: this.renewed.event });
    this.channel = new Channel({
      transport: this.server.transport,
      clock: this.clock,
      log: { log: (level, message) => void this.logs.push(`${level}: ${message}`) },
      features,
      stopping: this.stop.token,
      ...options,
    });
    this.channel.closed.event(({ error }) => this.told.push(`closed ${String(error?.message)}`));
    this.channel.renewed.event(() => this.told.push('renewed'));
  }

  /** The answer that the server gets. */
  async ask(method: string, params: JsonObject = {}, id: string | number = 's'): Promise<string> {
    const before = this.server.heard.length;
    this.server.say({ jsonrpc: '2.0', id, method, params });
    await settle();
    return this.server.heard.slice(before).join('; ');
  }

  async tell(...methods: readonly string[]): Promise<void> {
    for (const method of methods) this.server.notify(method);
    await settle();
  }

  async close(): Promise<void> {
    this.channel.dispose();
    await this.server.transport.close();
    await settle();
    assert.equal(this.clock.waiting, 0);
    this.renewed.dispose();
  }
}

suite('What a server asks for', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('is answered by the first feature that can, and in every state if it is a ping', async () => {
    const answers = (name: string): SessionFeature => ({
      requests: { 'own/thing': (params) => ({ name, ...params }) },
    });
    bench = new Bench([{}, { requests: {} }, answers('a'), answers('b')]);
    assert.deepEqual(
      [await bench.ask('own/thing', { x: 1 }), await bench.ask('ping'), await bench.ask('own/other')],
      ['answer {"name":"a","x":1}', 'answer {}', 'answer {"code":-32601,"message":"Method not found: own/other"}'],
    );
  });

  test('is checked against the agreed revision once there is one', async () => {
    const features = [{ requests: { 'sampling/createMessage': () => 1, 'tasks/list': () => 2 } }];
    bench = new Bench(features);
    assert.equal(await bench.ask('sampling/createMessage'), 'answer 1');
    bench.channel.codec = codecFor('2025-06-18');
    assert.match(
      await bench.ask('sampling/createMessage'),
      /^answer \{"code":-32602,"message":"Invalid params: .+\."\}$/,
    );
    assert.equal(await bench.ask('tasks/list'), 'answer {"code":-32601,"message":"Method not found: tasks/list"}');
  });

  test('is refused while it is being stopped, also what is open, but not a ping', async () => {
    const tokens: boolean[] = [];
    bench = new Bench([
      {
        requests: {
          'own/slow': (_, { token }) => {
            token.onCancellationRequested(() => tokens.push(true));
            return new Promise<Json>(() => undefined);
          },
        },
      },
    ]);
    assert.equal(await bench.ask('own/slow'), '');
    bench.stop.cancel();
    await settle();
    assert.deepEqual([bench.server.heard, tokens], [['answer {"code":-32000,"message":"stopping"}'], [true]]);
    assert.deepEqual(
      [await bench.ask('own/slow'), await bench.ask('ping')],
      ['answer {"code":-32000,"message":"stopping"}', 'answer {}'],
    );
  });
});

suite('A notification of a server', () => {
  let bench: Bench;
  teardown(() => bench.close());
  const HEARD = ['notifications/message', 'notifications/tasks/status', 'notifications/tasks', 'own/thing'];
  const hears = (told: string[]): SessionFeature => ({
    notifications: Object.fromEntries(HEARD.map((method) => [method, () => void told.push(method)])),
  });

  test('is heard by every feature that wants it', async () => {
    const told: string[] = [];
    bench = new Bench([hears(told), {}, { notifications: {} }, hears(told)]);
    await bench.tell('own/thing');
    assert.deepEqual([told, bench.logs], [['own/thing', 'own/thing'], []]);
  });

  test('is not heard while it is being stopped, but for its log and the state of its tasks', async () => {
    const told: string[] = [];
    bench = new Bench([hears(told)]);
    bench.stop.cancel();
    await bench.tell(...HEARD, 'own/unknown');
    assert.deepEqual([told, bench.logs], [HEARD.slice(0, 3), []]);
  });

  test('is looked at first by whoever intercepts it', async () => {
    const told: string[] = [];
    bench = new Bench([hears(told)]);
    bench.channel.intercept = (method) => method === 'own/thing';
    await bench.tell('own/thing', 'notifications/message');
    assert.deepEqual([told, bench.logs], [['notifications/message'], []]);
  });

  test('is ignored if it is not in the revision, unknown, or invalid', async () => {
    const told: string[] = [];
    bench = new Bench([hears(told)]);
    bench.channel.codec = codecFor('2025-06-18');
    await bench.tell('notifications/tasks/status', 'own/unknown', 'own/unknown', 'notifications/message');
    assert.deepEqual(told, []);
    assert.deepEqual(bench.logs.slice(0, 2), [
      'debug: Ignored notifications/tasks/status: MCP 2025-06-18 does not have it.',
      'debug: Ignored own/unknown: this host does not know it.',
    ]);
    assert.match(bench.logs[2] ?? '', /^warn: Ignored notifications\/message: .+\.$/);
    assert.equal(bench.logs.length, 3);
  });
});

suite('A connection of a session', () => {
  test('reports its end and its renewal without secrets', async () => {
    const redact = (error: HostError): HostError =>
      new HostError(error.code, error.message.replace('s3cret', '***'), { layer: error.layer });
    const bench = new Bench([], { redact });
    bench.renewed.fire({});
    const request = bench.channel.peer.request('x', {}, { timeoutMs: 1_000 }).then(
      () => 'answered',
      (error: unknown) => String(error),
    );
    bench.server.crash(new HostError('SERVER_EXITED', 'gone with s3cret', { layer: 'process' }));
    await settle();
    assert.deepEqual(bench.told, ['renewed', 'closed gone with ***']);
    assert.match(await request, /gone with \*\*\*/);
    await bench.close();
  });

  test('ends without an error if it is closed on purpose, and otherwise with its error', async () => {
    const closed = new Bench();
    await closed.server.transport.close();
    await settle();
    const failed = new Bench();
    failed.server.crash(new HostError('SERVER_EXITED', 'gone', { layer: 'process' }));
    await settle();
    assert.deepEqual([closed.told, failed.told], [['closed undefined'], ['closed gone']]);
    await Promise.all([closed.close(), failed.close()]);
  });

  test('leaves nothing behind', async () => {
    const watch = watchDisposables();
    const bench = new Bench([], { stopping: undefined });
    assert.equal(bench.channel.stopping.isCancellationRequested, false);
    await bench.close();
    bench.stop.dispose();
    const other = new Bench();
    await other.close();
    other.renewed.fire({});
    other.stop.cancel();
    assert.deepEqual([other.told, watch.end()], [[], []]);
  });
});

suite('The features of a connection', () => {
  test('are those of its kind', () => {
    const features: readonly SessionFeature[] = [{}, { era: 'legacy' }, { era: 'modern' }];
    assert.deepEqual(featuresOf(features, 'legacy'), [{}, { era: 'legacy' }]);
    assert.deepEqual(featuresOf(features, 'modern'), [{}, { era: 'modern' }]);
  });

  test('declare together what each of them declares', () => {
    assert.deepEqual(declaredBy([]), {});
    assert.deepEqual(
      declaredBy([
        { capabilities: { a: { b: { c: 1 } }, d: 1, e: { f: 1 }, g: 1 } },
        {},
        { capabilities: { a: { b: { h: 2 }, i: 2 }, d: { j: 2 }, e: 2 } },
      ]),
      { a: { b: { c: 1, h: 2 }, i: 2 }, d: { j: 2 }, e: 2, g: 1 },
    );
  });

  test('answer in one place', async () => {
    const context = { requestId: 1, token: new CancellationSource().token };
    assert.deepEqual(answerBy([{ requests: { ping: () => 7 } }], 'ping', {}, context), {});
    for (const method of ['x', 'constructor', 'toString', '__proto__'])
      await assert.rejects(async () => answerBy([{ requests: {} }], method, {}, context), {
        message: `Method not found: ${method}`,
      });
    const { code, layer, effect, suggestion } = notInRevision('x', '1');
    assert.deepEqual(
      [code, layer, effect, suggestion],
      ['NOT_IN_REVISION', 'protocol', 'none', 'Do without it, or use a newer version of the server.'],
    );
  });
});
