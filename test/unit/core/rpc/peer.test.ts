import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CancellationSource, type CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { HostError, isHostError, WireError } from '../../../../src/core/base/errors.ts';
import { Emitter } from '../../../../src/core/base/event.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { createLinkedTransports, type MemoryTransport } from '../../../../src/core/rpc/memoryTransport.ts';
import { methodNotFound } from '../../../../src/core/base/errors.ts';
import { Peer, type RpcHandlers } from '../../../../src/core/rpc/peer.ts';
import type { DroppedMessage, Transport } from '../../../../src/core/rpc/transport.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const MINUTE = { timeoutMs: 60_000 };

/** A peer whose other end the test controls. */
class Bench {
  readonly clock = new FakeClock();
  readonly sent: string[] = [];
  readonly logged: string[] = [];
  readonly notified: string[] = [];
  readonly server: MemoryTransport;
  readonly peer: Peer;

  constructor(request: RpcHandlers['request'] = (method) => Promise.reject(methodNotFound(method)), wrap?: Wrap) {
    const [host, server] = createLinkedTransports();
    this.server = server;
    server.start((message) => {
      // Without the constant part of the envelope.
      const { jsonrpc, ...rest } = message as JsonObject;
      assert.equal(jsonrpc, '2.0');
      this.sent.push(JSON.stringify(rest));
    });
    const handlers: RpcHandlers = {
      request,
      notification: (method, params) => this.notified.push(`${method} ${JSON.stringify(params)}`),
    };
    this.peer = new Peer(wrap?.(host) ?? host, handlers, {
      clock: this.clock,
      log: (level, message) => this.logged.push(`${level}: ${message}`),
    });
  }

  async say(...messages: readonly Json[]): Promise<void> {
    for (const message of messages) this.server.send(message);
    await settle();
  }
}

type Wrap = (transport: Transport) => Transport;

/** The outcome of a promise as text. */
async function outcome(promise: Promise<Json>): Promise<string> {
  try {
    return JSON.stringify(await promise);
  } catch (error) {
    assert.ok(error instanceof HostError);
    const code = error.rpcCode === undefined ? '' : ` ${error.rpcCode}`;
    const data = error.data === undefined ? '' : ` ${JSON.stringify(error.data)}`;
    return `${error.code}${code}: ${error.message}${data}`;
  }
}

suite('requests to a peer', () => {
  let bench: Bench;
  setup(() => (bench = new Bench()));
  teardown(() => bench.peer.dispose());

  test('carry numbers from 1 and params that are objects, and settle with what is answered', async () => {
    // Never cancelled, because a finished call must release its token.
    const { token } = new CancellationSource();
    const answers = ['a', 'b', 'c'].map((method) =>
      outcome(bench.peer.request(method, { x: 1 }, { ...MINUTE, token })),
    );
    bench.peer.notify('n');
    await bench.say(
      { jsonrpc: '2.0', id: 2, error: { code: -32001, message: 'no', data: { y: 2 } } },
      { id: 1, result: { ok: true } },
      { jsonrpc: '2.0', id: '3', result: null },
    );
    assert.deepEqual(await Promise.all(answers), ['{"ok":true}', 'REMOTE_ERROR -32001: no {"y":2}', 'null']);
    assert.deepEqual(bench.sent, [
      '{"id":1,"method":"a","params":{"x":1}}',
      '{"id":2,"method":"b","params":{"x":1}}',
      '{"id":3,"method":"c","params":{"x":1}}',
      '{"method":"n","params":{}}',
    ]);
    assert.deepEqual(bench.logged, []);
  });

  test('fail with a plain error where the answer is broken', async () => {
    const answers = [1, 2].map(() => outcome(bench.peer.request('m', {}, MINUTE)));
    await bench.say({ id: 1 }, { id: 2, error: 'out of order' });
    assert.deepEqual(await Promise.all(answers), [
      'REMOTE_ERROR -32600: The answer has neither a result nor an error.',
      'REMOTE_ERROR -32603: out of order',
    ]);
  });

  test('settle at once when cancelled, notify the peer, and drop the late answer', async () => {
    const source = new CancellationSource();
    const answer = outcome(bench.peer.request('tools/call', {}, { ...MINUTE, token: source.token }));
    source.cancel('No longer needed.');
    assert.equal(await answer, 'CANCELLED: tools/call was cancelled.');
    await bench.say({ id: 1, result: {} });
    assert.deepEqual(bench.logged, []);
    // Only the first late answer is expected.
    await bench.say({ id: 1, result: {} });
    assert.deepEqual(bench.logged, ['warn: Ignored an answer with the unknown id 1.']);
    assert.deepEqual(bench.sent, [
      '{"id":1,"method":"tools/call","params":{}}',
      '{"method":"notifications/cancelled","params":{"requestId":1,"reason":"No longer needed."}}',
    ]);
  });

  test('say nothing when cancelled before or after', async () => {
    const source = new CancellationSource();
    const token = source.token;
    const answer = outcome(bench.peer.request('m', {}, { ...MINUTE, token }));
    await bench.say({ id: 1, result: {} });
    assert.equal(await answer, '{}');
    source.cancel();
    assert.equal(await outcome(bench.peer.request('m', {}, { ...MINUTE, token })), 'CANCELLED: m was cancelled.');
    await settle();
    assert.deepEqual(bench.sent, ['{"id":1,"method":"m","params":{}}']);
  });

  test('time out on time, with one timer for all', async () => {
    const slow = outcome(bench.peer.request('slow', {}, { timeoutMs: 100 }));
    const fast = outcome(bench.peer.request('fast', {}, { timeoutMs: 50 }));
    assert.equal(bench.clock.waiting, 1);
    await bench.clock.advance(49);
    assert.deepEqual(bench.sent.length, 2);
    await bench.clock.advance(1);
    assert.equal(await fast, 'TIMEOUT: The server did not answer fast within 0.1 s. {"timeoutMs":50,"isWhole":false}');
    await bench.clock.advance(50);
    assert.equal(await slow, 'TIMEOUT: The server did not answer slow within 0.1 s. {"timeoutMs":100,"isWhole":false}');
    assert.deepEqual(bench.sent.slice(2), [
      '{"method":"notifications/cancelled","params":{"requestId":2,"reason":"The time allowed for this request is over."}}',
      '{"method":"notifications/cancelled","params":{"requestId":1,"reason":"The time allowed for this request is over."}}',
    ]);
    assert.equal(bench.clock.waiting, 0);
  });

  test('never cancel initialize', async () => {
    const source = new CancellationSource();
    const cancelled = outcome(bench.peer.request('initialize', {}, { ...MINUTE, token: source.token }));
    const late = outcome(bench.peer.request('initialize', {}, MINUTE));
    source.cancel();
    await bench.clock.advance(60_000);
    assert.deepEqual(await Promise.all([cancelled, late]), [
      'CANCELLED: initialize was cancelled.',
      'TIMEOUT: The server did not answer initialize within 60 s. {"timeoutMs":60000,"isWhole":false}',
    ]);
    assert.equal(bench.sent.length, 2);
  });

  test('live longer with progress, up to their hard limit', async () => {
    const seen: string[] = [];
    const answer = outcome(
      bench.peer.request(
        'm',
        { a: 1, _meta: { x: 2 } },
        { timeoutMs: 100, maxTimeoutMs: 250, onProgress: (progress) => seen.push(JSON.stringify(progress)) },
      ),
    );
    const silent = outcome(bench.peer.request('n', {}, { timeoutMs: 100 }));
    await settle();
    assert.deepEqual(bench.sent, [
      '{"id":1,"method":"m","params":{"a":1,"_meta":{"x":2,"progressToken":1}}}',
      '{"id":2,"method":"n","params":{}}',
    ]);
    for (let at = 0; at < 3; at++) {
      await bench.clock.advance(90);
      // A text, an unknown one, and an invalid one.
      for (const progressToken of ['1', 99, 'x', null])
        await bench.say({ method: 'notifications/progress', params: { progressToken, progress: at } });
    }
    assert.deepEqual(seen, ['{"progressToken":"1","progress":0}', '{"progressToken":"1","progress":1}']);
    assert.deepEqual(await Promise.all([answer, silent]), [
      'TIMEOUT: The server did not finish m within 0.3 s. {"timeoutMs":250,"isWhole":true}',
      'TIMEOUT: The server did not answer n within 0.1 s. {"timeoutMs":100,"isWhole":false}',
    ]);
  });

  test('do not live longer with progress that is not a number', async () => {
    const seen: string[] = [];
    const options = { timeoutMs: 100, onProgress: (progress: JsonObject) => seen.push(JSON.stringify(progress)) };
    const answer = outcome(bench.peer.request('m', {}, options));
    await bench.clock.advance(90);
    for (const progress of ['1', null, true, {}, [1], Infinity, -Infinity, NaN, undefined])
      await bench.say({
        method: 'notifications/progress',
        params: { progressToken: 1, ...(progress !== undefined && { progress }) },
      });
    await bench.clock.advance(10);
    assert.equal(await answer, 'TIMEOUT: The server did not answer m within 0.1 s. {"timeoutMs":100,"isWhole":false}');
    assert.deepEqual([seen, bench.logged[0]], [[], 'warn: Ignored progress that is not a number.']);
  });

  test('that asked for no progress do not live longer with it', async () => {
    const silent = outcome(bench.peer.request('n', {}, { timeoutMs: 100 }));
    for (let at = 0; at < 2; at++) {
      await bench.clock.advance(60);
      await bench.say({ method: 'notifications/progress', params: { progressToken: 1, progress: at } });
    }
    assert.equal(await silent, 'TIMEOUT: The server did not answer n within 0.1 s. {"timeoutMs":100,"isWhole":false}');
  });

  test('are decoded as they arrive, and fail with the timeout error of their caller', async () => {
    const decoded = bench.peer.decoded('m', {}, MINUTE, (result) => `<${JSON.stringify(result)}>`);
    const late = { timeoutMs: 100, maxTimeoutMs: 100 };
    const timeoutError = (ms: number, isWhole: boolean): HostError =>
      new HostError('TIMEOUT', `Sorry: ${ms} ${isWhole ? 'whole' : 'for an answer'}`, { layer: 'host' });
    const unanswered = outcome(bench.peer.request('n', {}, { timeoutMs: 100, timeoutError }));
    const unended = outcome(bench.peer.request('n', {}, { ...late, timeoutError }));
    await bench.say({ id: 1, result: [1] });
    await bench.clock.advance(100);
    assert.equal(await decoded, '<[1]>');
    const odd = outcome(
      bench.peer.decoded('o', {}, MINUTE, () => {
        throw new Error('no number');
      }),
    );
    await bench.say({ id: 4, result: {} });
    assert.equal(await odd, 'INVALID_MESSAGE: The answer to o cannot be read: no number');
    assert.deepEqual(
      [await unanswered, await unended],
      ['TIMEOUT: Sorry: 100 for an answer', 'TIMEOUT: Sorry: 100 whole'],
    );
  });

  test('that cannot be written fail alone', async () => {
    const endless: Record<string, Json> = {};
    endless['self'] = endless;
    assert.match(
      await outcome(bench.peer.request('m', endless, MINUTE)),
      /^INTERNAL: m could not be sent: .*circular/s,
    );
    bench.peer.notify('n', endless);
    assert.match(bench.logged.join(), /^error: n could not be sent/);
    const answer = outcome(bench.peer.request('m', {}, MINUTE));
    await bench.say({ id: 2, result: 1 });
    assert.equal(await answer, '1');
  });

  test('fail when the connection ends, and so do those that come after', async () => {
    const pending = outcome(bench.peer.request('m', {}, MINUTE));
    const ends: string[] = [];
    const listening = bench.peer.onClose(({ error }) => ends.push(error?.code ?? 'on purpose'));
    bench.server.fail(new HostError('SERVER_EXITED', 'The server exited with code 1.', { layer: 'process' }));
    await settle();
    const after = outcome(bench.peer.request('n', {}, MINUTE));
    bench.peer.notify('ignored');
    const text = (method: string): string =>
      `CONNECTION_CLOSED: The connection closed before the server answered ${method}. The server exited with code 1.`;
    assert.deepEqual(
      [await pending, await after, ends, bench.clock.waiting],
      [text('m'), text('n'), ['SERVER_EXITED'], 0],
    );
    listening.dispose();
  });

  test('fail when the peer is disposed', async () => {
    const pending = outcome(bench.peer.request('m', {}, MINUTE));
    bench.peer.dispose();
    bench.peer.dispose();
    assert.equal(await pending, 'CONNECTION_CLOSED: The connection closed before the server answered m.');
  });
});

suite('requests from a peer', () => {
  let bench: Bench | undefined;
  const start = (request: RpcHandlers['request']): Bench => (bench = new Bench(request));
  teardown(() => bench?.peer.dispose());

  test('are answered once each, ids apart by type and from our own', async () => {
    const { peer, say, sent } = bindBench(start((method, params, { requestId }) => ({ method, params, requestId })));
    void outcome(peer.request('ours', {}, MINUTE));
    await say(...[1, '1', 'abc', 0].map((id) => ({ jsonrpc: '2.0', id, method: 'm', params: {} })));
    assert.deepEqual(sent.slice(1), [
      '{"id":1,"result":{"method":"m","params":{},"requestId":1}}',
      '{"id":"1","result":{"method":"m","params":{},"requestId":"1"}}',
      '{"id":"abc","result":{"method":"m","params":{},"requestId":"abc"}}',
      '{"id":0,"result":{"method":"m","params":{},"requestId":0}}',
    ]);
  });

  test('are answered with what the handler returns or throws', async () => {
    const handlers: Readonly<Record<string, () => Json | Promise<Json>>> = {
      value: () => 5,
      nothing: () => undefined as unknown as Json,
      later: () => Promise.resolve({ later: true }),
      refuse: () => {
        throw new WireError(-32001, 'disabled', { featureSet: 'f' });
      },
      refuseLater: () => Promise.reject(new WireError(-32003, 'unknown')),
      fail: () => {
        throw new Error('/home/me/secret');
      },
      failLater: () => Promise.reject(new Error('token=1234')),
    };
    const { say, sent, logged } = bindBench(
      start((method) => {
        const handler = handlers[method];
        if (handler === undefined) throw methodNotFound(method);
        return handler();
      }),
    );
    await say(...[...Object.keys(handlers), 'other'].map((method, id) => ({ id, method })));
    assert.deepEqual(sent.sort(), [
      '{"id":0,"result":5}',
      '{"id":1,"result":{}}',
      '{"id":2,"result":{"later":true}}',
      '{"id":3,"error":{"code":-32001,"message":"disabled","data":{"featureSet":"f"}}}',
      '{"id":4,"error":{"code":-32003,"message":"unknown"}}',
      '{"id":5,"error":{"code":-32603,"message":"Internal error"}}',
      '{"id":6,"error":{"code":-32603,"message":"Internal error"}}',
      '{"id":7,"error":{"code":-32601,"message":"Method not found: other"}}',
    ]);
    assert.deepEqual(logged, [
      'error: Handling fail failed: /home/me/secret',
      'error: Handling failLater failed: token=1234',
    ]);
  });

  test('are cancelled by their sender and then not answered', async () => {
    const tokens = new Map<string, CancellationToken>();
    const finish: (() => void)[] = [];
    const { say, sent, logged } = bindBench(
      start((method, _params, { token }) => {
        tokens.set(method, token);
        return new Promise((resolve, reject) =>
          finish.push(() => (method === 'b' ? reject(new Error('gone')) : resolve({ method }))),
        );
      }),
    );
    await say({ id: 1, method: 'a' }, { id: '1', method: 'b' }, { id: 2, method: 'c' });
    const cancel = (requestId: Json): Json => ({ method: 'notifications/cancelled', params: { requestId } });
    await say(cancel(1), cancel('1'), cancel('2'), cancel(99), cancel(null));
    finish.forEach((end) => end());
    await settle();
    assert.deepEqual(
      [...tokens].map(([method, token]) => `${method} ${token.isCancellationRequested}`),
      ['a true', 'b true', 'c false'],
    );
    assert.deepEqual([sent, logged], [['{"id":2,"result":{"method":"c"}}'], []]);
  });

  test('are cancelled by id in any order of their ends, both of two with one id', async () => {
    const open = new Map<string, { readonly token: CancellationToken; readonly end: () => void }>();
    const { say, sent } = bindBench(
      start(
        (method, _params, { token }) =>
          new Promise((resolve) => open.set(method, { token, end: () => resolve({ method }) })),
      ),
    );
    await say(...['a', 'b', 'c', 'd'].map((method, id) => ({ id, method })), { id: 3, method: 'e' });
    for (const method of ['a', 'c']) open.get(method)?.end();
    await settle();
    await say({ method: 'notifications/cancelled', params: { requestId: 3 } });
    for (const { end } of open.values()) end();
    await settle();
    assert.deepEqual(
      [...open].map(([method, { token }]) => `${method} ${token.isCancellationRequested}`),
      ['a false', 'b false', 'c false', 'd true', 'e true'],
    );
    assert.deepEqual(sent, [
      '{"id":0,"result":{"method":"a"}}',
      '{"id":2,"result":{"method":"c"}}',
      '{"id":1,"result":{"method":"b"}}',
    ]);
  });

  test('see their token cancelled when the connection ends', async () => {
    const reasons: unknown[] = [];
    const { say, server, sent } = bindBench(
      start((_method, _params, { token }) => {
        return new Promise((resolve) => {
          const listening = token.onCancellationRequested((reason) => {
            reasons.push(reason);
            listening.dispose();
            resolve({});
          });
        });
      }),
    );
    await say({ id: 1, method: 'a' });
    await server.close();
    await settle();
    assert.deepEqual([reasons, sent], [['The connection is closed.'], []]);
  });

  test('must name their params', async () => {
    const { say, sent, notified, logged } = bindBench(start((_method, params) => params));
    await say(
      { id: 1, method: 'm', params: ['a'] },
      { id: 2, method: 'm' },
      { id: 3, method: 'm', params: null },
      { method: 'n', params: [1] },
      { method: 'n' },
      { method: '$/cancelRequest' },
      { id: null, method: 'n', params: { x: 1 } },
    );
    assert.deepEqual(
      [sent.sort(), notified, logged],
      [
        [
          '{"id":1,"error":{"code":-32602,"message":"params must be an object."}}',
          '{"id":2,"result":{}}',
          '{"id":3,"result":{}}',
        ],
        ['n {}', '$/cancelRequest {}', 'n {"x":1}'],
        ['warn: Ignored the notification n, whose params are no object.'],
      ],
    );
  });

  test('are refused when too many are open', async () => {
    const finish: (() => void)[] = [];
    const { say, sent } = bindBench(start(() => new Promise((resolve) => finish.push(() => resolve({})))));
    await say(...Array.from({ length: 1_001 }, (_, id) => ({ id, method: 'm' })));
    assert.deepEqual(sent, ['{"id":1000,"error":{"code":-32000,"message":"Busy: 1000 requests are unanswered."}}']);
    finish.forEach((end) => end());
    await settle();
    await say({ id: 'next', method: 'm' });
    finish.at(-1)?.();
    await settle();
    assert.deepEqual([sent.length, sent.at(-1)], [1_002, '{"id":"next","result":{}}']);
  });

  test('are all answered exactly once whatever else arrives', async () => {
    const id = fc.oneof(fc.integer(), fc.string());
    const message = fc.oneof(
      fc.record({ id, method: fc.string() }),
      fc.record({ id, method: fc.constant('m'), params: fc.jsonValue() }),
      fc.record({ method: fc.constantFrom('n', 'notifications/cancelled', '$/progress'), params: fc.jsonValue() }),
      fc.record({ id: fc.jsonValue(), result: fc.jsonValue(), error: fc.jsonValue() }, { requiredKeys: [] }),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (messages) => {
        const own = new Bench(() => ({ ok: true }));
        const plain: readonly Json[] = JSON.parse(JSON.stringify(messages));
        await own.say(...plain);
        const answered = own.sent
          .map((text) => (JSON.parse(text) as JsonObject)['id'])
          .map((each) => JSON.stringify(each));
        const asked = plain.flatMap((each) => {
          if (typeof each !== 'object' || each === null || Array.isArray(each)) return [];
          const { id: key, method } = each as JsonObject;
          const isRequest = typeof method === 'string' && (typeof key === 'number' || typeof key === 'string');
          return isRequest ? [JSON.stringify(key)] : [];
        });
        own.peer.dispose();
        const wasCancelled = plain.some((each) => JSON.stringify(each).includes('notifications/cancelled'));
        if (!wasCancelled) assert.deepEqual(answered.sort(), asked.sort());
      }),
      { numRuns: 100 },
    );
  });
});

suite('a hostile peer', () => {
  let bench: Bench;
  teardown(() => bench.peer.dispose());

  test('is not answered for what makes no sense, and heard on', async () => {
    bench = new Bench();
    const answer = outcome(bench.peer.request('m', {}, MINUTE));
    await bench.say(
      5,
      'x',
      null,
      [],
      { id: 9, result: {} },
      { id: null, error: { code: 1, message: 'eh' } },
      { id: {}, method: 'm' },
    );
    await bench.say({ id: 1, result: 'first' }, { id: 1, result: 'second' });
    assert.equal(await answer, '"first"');
    assert.deepEqual(bench.sent, ['{"id":1,"method":"m","params":{}}']);
    assert.deepEqual(bench.logged, [
      ...Array.from({ length: 4 }, () => 'warn: Ignored a message that is no object.'),
      'warn: Ignored an answer with the unknown id 9.',
      'warn: Ignored an error without an id: eh.',
      'warn: Ignored a request whose id is neither a number nor a string.',
      'warn: Ignored an answer with the unknown id 1.',
    ]);
  });

  test('cannot flood the log', async () => {
    bench = new Bench();
    await bench.say(...Array.from({ length: 500 }, (_, id) => ({ id: id + 100, result: {} })));
    await bench.clock.advance(10_000);
    assert.deepEqual([bench.logged.length, bench.logged.at(-1)], [51, 'warn: … 450 lines left out']);
  });

  test('whose message is too large fails that call alone', async () => {
    const dropped = new Emitter<DroppedMessage>();
    bench = new Bench(undefined, (transport) => ({
      start: (receiver) => transport.start(receiver),
      send: (message) => transport.send(message),
      close: () => transport.close(),
      onClose: transport.onClose,
      onDropped: dropped.event,
    }));
    const error = new HostError('MESSAGE_TOO_LARGE', 'The server sent a message of more than 64 MB.', {
      layer: 'transport',
    });
    const answers = ['a', 'b'].map((method) => bench.peer.request(method, {}, MINUTE));
    dropped.fire({ id: '1', isRequest: false, error });
    dropped.fire({ id: 2, isRequest: true, error });
    dropped.fire({ id: undefined, isRequest: false, error });
    await assert.rejects(answers[0] ?? Promise.resolve(), (thrown) => isHostError(thrown, 'MESSAGE_TOO_LARGE'));
    await bench.say({ id: 2, result: 'still here' });
    assert.equal(await answers[1], 'still here');
    assert.deepEqual(
      bench.sent.at(-1),
      '{"id":2,"error":{"code":-32600,"message":"The server sent a message of more than 64 MB."}}',
    );
    assert.equal(bench.logged.length, 3);
  });
});

suite('vscode-jsonrpc', () => {
  test('leaves a runtime that others installed as it was', async () => {
    const { RAL } = await import('vscode-jsonrpc/node');
    const before = RAL().timer.setImmediate;
    const bench = new Bench();
    assert.equal(RAL().timer.setImmediate, before);
    const answer = bench.peer.request('m', {}, MINUTE);
    await bench.say({ id: 1, result: 1 });
    assert.equal(await answer, 1);
    bench.peer.dispose();
  });
});

function bindBench(bench: Bench): Pick<Bench, 'peer' | 'server' | 'sent' | 'logged' | 'notified'> & Pick<Bench, 'say'> {
  const { peer, server, sent, logged, notified } = bench;
  return { peer, server, sent, logged, notified, say: (...messages) => bench.say(...messages) };
}
