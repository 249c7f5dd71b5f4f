import assert from 'node:assert/strict';
import { HostError } from '../../../../src/core/base/errors.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/core/base/json.ts';
import type { MemberPath } from '../../../../src/core/base/unreadJson.ts';
import { createLinkedTransports, type MemoryTransport } from '../../../../src/core/rpc/memoryTransport.ts';
import type { DroppedMessage, SendHints, Transport } from '../../../../src/core/rpc/transport.ts';
import { FirstQuestion } from '../../../../src/core/session/firstQuestion.ts';
import { settle } from '../../../support/fakeClock.ts';

const request = (id: number, method = 'server/discover'): JsonObject => ({ jsonrpc: '2.0', id, method });
const result = (id: Json, value: Json = {}): JsonObject => ({ jsonrpc: '2.0', id, result: value });
const notice = (method: string): JsonObject => ({ jsonrpc: '2.0', method });

/** A connection that is probed first. All messages are recorded as lines. */
class Bench {
  readonly lines: string[] = [];
  readonly host: MemoryTransport;
  readonly server: MemoryTransport;
  readonly question: FirstQuestion;
  session: Transport | undefined;
  starts = 0;

  constructor() {
    [this.host, this.server] = createLinkedTransports();
    const start = this.host.start.bind(this.host);
    this.host.start = (receiver) => {
      this.starts++;
      start(receiver);
    };
    this.server.start((message) => void this.lines.push(`server < ${bare(message)}`));
    this.question = new FirstQuestion(this.host);
    this.question.asking.start((message) => void this.lines.push(`question < ${bare(message)}`));
  }

  /** Sends the probe. */
  static async asking(...ids: readonly number[]): Promise<Bench> {
    const bench = new Bench();
    for (const id of ids) bench.question.asking.send(request(id));
    await settle();
    bench.lines.length = 0;
    return bench;
  }

  openSession(): void {
    this.session = this.question.forSession();
    this.session.start((message) => void this.lines.push(`session < ${bare(message)}`));
  }

  async say(...messages: readonly Json[]): Promise<void> {
    for (const message of messages) this.server.send(message);
    await settle();
  }

  async close(): Promise<void> {
    await this.host.close();
    await settle();
  }
}

function bare(message: Json): string {
  if (!isJsonObject(message)) return JSON.stringify(message);
  const { jsonrpc: _, ...rest } = message;
  return JSON.stringify(rest);
}

suite('A question on a connection before its session', () => {
  let bench: Bench;
  teardown(() => bench.close());

  test('gets its answer, and the session the connection itself', async () => {
    bench = await Bench.asking(1);
    await bench.say(result(1));
    assert.deepEqual(bench.lines, ['question < {"id":1,"result":{}}']);
    assert.equal(bench.question.forSession(), bench.host);
    assert.equal(bench.starts, 1, 'the session is the next to start it');
  });

  test('gets an answer whose id is a text', async () => {
    bench = await Bench.asking(1);
    await bench.say(result('1'));
    assert.deepEqual(bench.lines, ['question < {"id":"1","result":{}}']);
    assert.equal(bench.question.forSession(), bench.host);
  });

  test('waits for its own answer while the session runs', async () => {
    bench = await Bench.asking(1);
    bench.openSession();
    await bench.say(notice('a'), result(2), result(1, 'late'), notice('b'));
    assert.deepEqual(bench.lines, [
      'session < {"method":"a"}',
      'session < {"id":2,"result":{}}',
      'question < {"id":1,"result":"late"}',
      'session < {"method":"b"}',
    ]);
  });

  test('is answered once: the same id again is for the session', async () => {
    bench = await Bench.asking(1);
    bench.openSession();
    await bench.say(result(1), result(1));
    assert.deepEqual(bench.lines, ['question < {"id":1,"result":{}}', 'session < {"id":1,"result":{}}']);
  });

  test('leaves requests of the server to the session, also under its own id', async () => {
    bench = await Bench.asking(1);
    await bench.say(request(1, 'ping'), { ...request(1, 'ping'), method: 7 }, result(true), 'text');
    assert.deepEqual(bench.lines, []);
    bench.openSession();
    await settle();
    assert.deepEqual(bench.lines, [
      'session < {"id":1,"method":"ping"}',
      'session < {"id":1,"method":7}',
      'session < {"id":true,"result":{}}',
      'session < "text"',
    ]);
  });

  test('keeps what comes before the session, in order and before what comes later', async () => {
    bench = await Bench.asking(1);
    await bench.say(notice('a'), notice('b'), result(1));
    bench.session = bench.question.forSession();
    await bench.say(notice('c'));
    bench.session.start((message) => void bench.lines.push(`session < ${bare(message)}`));
    await bench.say(notice('d'));
    assert.deepEqual(bench.lines, [
      'question < {"id":1,"result":{}}',
      ...['a', 'b', 'c', 'd'].map((method) => `session < {"method":"${method}"}`),
    ]);
  });

  test('keeps a thousand messages', async () => {
    bench = await Bench.asking(1);
    for (let count = 0; count < 1_001; count++) bench.server.send(notice(`n${count}`));
    await settle();
    bench.openSession();
    await settle();
    assert.deepEqual([bench.lines.length, bench.lines.at(-1)], [1_000, 'session < {"method":"n999"}']);
  });

  test('passes the connection to the session once nothing is open or held', async () => {
    const starts: number[] = [];
    bench = await Bench.asking(1, 2);
    await bench.say(notice('held'));
    starts.push(bench.starts);
    bench.openSession();
    await settle();
    starts.push(bench.starts);
    await bench.say(result(2));
    starts.push(bench.starts);
    await bench.say(result(1));
    starts.push(bench.starts);
    assert.deepEqual(starts, [1, 2, 2, 3]);
    await bench.say(result(1), notice('direct'));
    assert.deepEqual(bench.lines, [
      'session < {"method":"held"}',
      'question < {"id":2,"result":{}}',
      'question < {"id":1,"result":{}}',
      'session < {"id":1,"result":{}}',
      'session < {"method":"direct"}',
    ]);
  });

  test('takes an error without an id for its answer, until the session begins', async () => {
    const error = { code: -32600, message: 'Invalid Request' };
    for (const id of [{ id: null }, {}]) {
      bench = await Bench.asking(4);
      await bench.say({ jsonrpc: '2.0', ...id, error });
      const [line = ''] = bench.lines;
      assert.deepEqual(JSON.parse(line.replace('question < ', '')), { id: 4, error });
      assert.equal(bench.question.forSession(), bench.host, 'nothing is open any more');
      await bench.close();
    }
    bench = await Bench.asking(4);
    await bench.say({ jsonrpc: '2.0', id: null, result: {} }, { jsonrpc: '2.0', id: 9, error });
    bench.openSession();
    await bench.say({ jsonrpc: '2.0', id: null, error });
    assert.deepEqual(
      bench.lines.map((line) => line.slice(0, 20)),
      ['session < {"id":null', 'session < {"id":9,"e', 'session < {"id":null'],
    );
  });

  test('that was answered leaves an error without an id to the session', async () => {
    bench = await Bench.asking(1);
    await bench.say(result(1), { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } });
    assert.deepEqual(bench.lines, ['question < {"id":1,"result":{}}']);
    bench.openSession();
    await settle();
    assert.equal(bench.lines.length, 2);
  });

  test('says nothing more after the session began', async () => {
    bench = await Bench.asking(1);
    bench.question.asking.send(notice('before'));
    bench.openSession();
    bench.question.asking.send(request(2));
    bench.session?.send(request(3, 'initialize'));
    await settle();
    assert.deepEqual(bench.lines, ['server < {"method":"before"}', 'server < {"id":3,"method":"initialize"}']);
  });

  test('asked by a notification alone leaves the connection as it is', async () => {
    bench = new Bench();
    bench.question.asking.send(notice('hello'));
    await settle();
    assert.equal(bench.question.forSession(), bench.host);
  });
});

suite('The connection behind a question', () => {
  test('is seen by both sides: its end, what it drops and renews, its details, and hints of messages', async () => {
    const [host, server] = createLinkedTransports();
    const dropped = new Emitter<DroppedMessage>();
    const renewed = new Emitter<Json>();
    const seen: string[] = [];
    const inner: Transport = {
      start: (receiver) => host.start(receiver),
      send: (message, hints?: SendHints) => void seen.push(`${bare(message)} ${JSON.stringify(hints ?? null)}`),
      leaveUnread: (paths: readonly MemberPath[]) => void seen.push(`unread ${JSON.stringify(paths)}`),
      close: () => host.close(),
      onClose: host.onClose,
      onDropped: dropped.event,
      onRenewed: renewed.event,
      details: { kind: 'http' },
    };
    const question = new FirstQuestion(inner);
    question.asking.start(() => undefined);
    question.asking.send(request(1), { headers: { A: '1' } });
    const session = question.forSession();
    session.start(() => undefined);
    session.send(request(2), { headers: { B: '2' } });
    for (const [name, view] of Object.entries({ question: question.asking, session })) {
      view.onClose(({ error }) => seen.push(`${name} closed ${String(error)}`));
      view.onDropped?.(({ id }) => seen.push(`${name} dropped ${String(id)}`));
      view.onRenewed?.((value) => seen.push(`${name} renewed ${JSON.stringify(value)}`));
      view.leaveUnread?.([['params', name]]);
      seen.push(`${name} over ${String(view.details?.kind)}`);
    }
    dropped.fire({ id: 1, isRequest: false, error: new HostError('MESSAGE_TOO_LARGE', 'x', { layer: 'transport' }) });
    renewed.fire({});
    await session.close();
    await settle();
    assert.deepEqual(seen, [
      '{"id":1,"method":"server/discover"} {"headers":{"A":"1"}}',
      '{"id":2,"method":"server/discover"} {"headers":{"B":"2"}}',
      'unread [["params","question"]]',
      'question over http',
      'unread [["params","session"]]',
      'session over http',
      'question dropped 1',
      'session dropped 1',
      'question renewed {}',
      'session renewed {}',
      'question closed undefined',
      'session closed undefined',
    ]);
    for (const emitter of [dropped, renewed]) emitter.dispose();
    await server.close();
  });

  test('without these has none of them', async () => {
    const [host] = createLinkedTransports();
    const question = new FirstQuestion({
      start: (receiver) => host.start(receiver),
      send: (message) => host.send(message),
      close: () => host.close(),
      onClose: host.onClose,
    });
    const { asking } = question;
    asking.leaveUnread?.([]);
    assert.deepEqual([asking.onDropped, asking.onRenewed, asking.details], [undefined, undefined, undefined]);
    await host.close();
    await settle();
  });
});
