import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ByteList } from '../../../../src/core/rpc/byteList.ts';
import { CallTable, Deadlines } from '../../../../src/core/rpc/outboundCall.ts';
import { sniffEnvelope } from '../../../../src/core/rpc/envelopeSniff.ts';
import { LogLimiter } from '../../../../src/core/rpc/logLimiter.ts';
import { classify, ownId } from '../../../../src/core/rpc/messages.ts';
import { isDeeperThan, type Json } from '../../../../src/core/base/json.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

suite('a list of bytes', () => {
  test('joins, begins and ends like one array of all its pieces, also when it is used again', () => {
    const sizes = fc.array(fc.oneof(fc.nat(40), fc.constantFrom(8_191, 8_192, 8_193, 65_536, 70_000)), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(sizes, { minLength: 1, maxLength: 3 }), fc.nat(100), (rounds, length) => {
        const list = new ByteList();
        let value = 0;
        for (const round of rounds) {
          const pieces = round.map((size) => Uint8Array.from({ length: size }, () => value++ & 0xff));
          for (const piece of pieces) list.append(piece, 0, piece.length);
          const whole = Buffer.concat(pieces);
          assert.equal(list.size, whole.length);
          assert.ok(whole.subarray(0, length).equals(list.head(length)));
          assert.ok(whole.subarray(Math.max(0, whole.length - length)).equals(list.tail(length)));
          assert.ok(whole.equals(list.join()));
          list.clear();
        }
      }),
      { numRuns: 60 },
    );
  });
});

suite('deadlines', () => {
  test('go off in time with one timer, and moving one away needs no word', async () => {
    const clock = new FakeClock(0);
    const items = new Set([
      { name: 'a', deadline: 100 },
      { name: 'b', deadline: 50 },
      { name: 'c', deadline: 100 },
    ]);
    const seen: string[] = [];
    const deadlines = new Deadlines(
      clock,
      () => items,
      (item) => {
        items.delete(item);
        seen.push(`${item.name} at ${clock.now()}`);
      },
    );
    for (const item of items) deadlines.watch(item.deadline);
    assert.equal(clock.waiting, 1);
    await clock.advance(60);
    for (const item of items) if (item.name === 'c') item.deadline = 170;
    await clock.advance(200);
    assert.deepEqual([seen, clock.waiting], [['b at 50', 'a at 100', 'c at 170'], 0]);
  });
});

suite('a limited log', () => {
  test('counts what it leaves out and says so when the time is over', async () => {
    const clock = new FakeClock(0);
    const lines: string[] = [];
    const limiter = new LogLimiter(clock, { lines: 2, perMs: 100 }, (line) => lines.push(line));
    for (const line of ['a', 'b', 'c', 'd']) limiter.line(line);
    await clock.advance(100);
    limiter.line('e');
    for (const line of ['f', 'g']) limiter.line(line);
    limiter.dispose();
    assert.deepEqual([lines, clock.waiting], [['a', 'b', '… 2 lines left out', 'e', 'f', '… 1 line left out'], 0]);
  });
});

suite('nesting', () => {
  test('is counted as the brackets nest', () => {
    const depth = (value: Json): number => {
      if (typeof value !== 'object' || value === null) return 0;
      return 1 + Math.max(0, ...Object.values(value).map((member) => depth(member ?? null)));
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), (value, limit) => {
        const json: Json = JSON.parse(JSON.stringify(value));
        assert.equal(isDeeperThan(json, limit), depth(json) > limit);
      }),
    );
  });
});

suite('a sniffed envelope', () => {
  test('is what the beginning and the end of the outermost level say', () => {
    const cases: readonly (readonly [head: string, tail: string])[] = [
      ['{"jsonrpc":"2.0","id":1,"result":{"a', ''],
      ['{ "id" : "a\\"b" , "result" : [', ''],
      ['{"result":{"id":1', ',"jsonrpc":"2.0","id":12}'],
      ['{"result":{"id":1', ',"id":12,"jsonrpc":"2.0"} \r'],
      ['{"result":"', '\\"id\\":5}"}'],
      ['{"result":{"', ',"id":5}}'],
      ['{"method":"m","id":-3,"params":{', ''],
      ['{"id":1.5,"result":', ''],
      ['no message', 'at all'],
    ];
    assert.deepEqual(
      cases.map(([head, tail]) => {
        const { id, isRequest } = sniffEnvelope(head, tail);
        return `${JSON.stringify(id)} ${isRequest}`;
      }),
      [
        '1 false',
        '"a\\"b" false',
        '12 false',
        '12 false',
        'undefined false',
        'undefined false',
        '-3 true',
        'undefined false',
        'undefined false',
      ],
    );
  });
});

suite('kinds of messages', () => {
  test('are classified tolerantly', () => {
    const messages: readonly Json[] = [
      { id: 0, method: 'm' },
      { id: null, method: 'm', params: {} },
      { id: true, method: 'm' },
      { id: 1, result: null },
      { id: 1, result: {}, error: null },
      { id: 1, result: {}, error: { code: 5, message: 'no' } },
      { id: 1, error: 'plain text' },
      { id: 1, error: { code: 'x', message: 7, data: [] } },
      { id: 1 },
      { id: null, error: { code: -32700, message: 'parse' } },
      { method: 7 },
      {},
      [],
      3,
    ];
    assert.deepEqual(
      messages.map((message) => JSON.stringify(classify(message))),
      [
        '{"kind":"request","id":0,"method":"m"}',
        '{"kind":"notification","method":"m","params":{}}',
        '{"kind":"ignored","why":"a request whose id is neither a number nor a string"}',
        '{"kind":"result","id":1,"result":null}',
        '{"kind":"result","id":1,"result":{}}',
        '{"kind":"error","id":1,"error":{"code":5,"message":"no"}}',
        '{"kind":"error","id":1,"error":{"code":-32603,"message":"plain text"}}',
        '{"kind":"error","id":1,"error":{"code":-32603,"message":"The server gave no message.","data":[]}}',
        '{"kind":"error","id":1,"error":{"code":-32600,"message":"The answer has neither a result nor an error."}}',
        '{"kind":"ignored","why":"an error without an id: parse"}',
        '{"kind":"ignored","why":"a message whose method is no string"}',
        '{"kind":"ignored","why":"an answer without an id"}',
        '{"kind":"ignored","why":"a message that is no object"}',
        '{"kind":"ignored","why":"a message that is no object"}',
      ],
    );
  });

  test('an echoed id is ours as a number or as its text', () => {
    assert.deepEqual([5, '5', '05', '5.0', '', 'x', '-1'].map(ownId), [
      5,
      5,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

suite('calls under way', () => {
  test('are found by their number, however many there are and in whatever order they end', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 200 }), (ends) => {
        const table = new CallTable<{ readonly id: number }>();
        const alive = new Map<number, { readonly id: number }>();
        for (let id = 1; id <= 300; id++) {
          const call = { id };
          table.add(call);
          alive.set(id, call);
          const ended = ends[id % (ends.length + 1)] ?? 0;
          assert.equal(table.take(ended), alive.get(ended));
          alive.delete(ended);
        }
        for (let id = 0; id <= 400; id++) assert.equal(table.get(id), alive.get(id));
        assert.deepEqual(new Set(table.values()), new Set(alive.values()));
      }),
      { numRuns: 50 },
    );
  });
});
