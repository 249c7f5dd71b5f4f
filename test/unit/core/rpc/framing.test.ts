import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { MessageFramer } from '../../../../src/core/rpc/framing.ts';
import { cpuTime } from '../../../support/cpuTime.ts';

interface Framed {
  readonly messages: readonly JsonObject[];
  readonly noise: readonly string[];
  readonly dropped: readonly string[];
}

const never = (): boolean => false;

function frame(chunks: readonly (Uint8Array | string)[], lineCap?: number, end = true): Framed {
  const messages: JsonObject[] = [];
  const noise: string[] = [];
  const dropped: string[] = [];
  const framer = new MessageFramer({
    lineCap,
    onNoise: (line, why) => noise.push(`${line} (${why})`),
    onDropped: ({ id, isRequest, error }) =>
      dropped.push(`${error.code} ${JSON.stringify(id)} ${isRequest ? 'request' : 'answer'}`),
  });
  for (const chunk of chunks) {
    framer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    framer.drain((message) => messages.push(message), never);
  }
  if (end) {
    framer.end();
    framer.drain((message) => messages.push(message), never);
  }
  return { messages, noise, dropped };
}

function messagesOf(...chunks: readonly (Uint8Array | string)[]): readonly JsonObject[] {
  const framed = frame(chunks);
  assert.deepEqual([framed.noise, framed.dropped], [[], []]);
  return framed.messages;
}

/** Cuts at the given positions, in any order and number. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, i) => bytes.subarray(from, sorted[i] ?? bytes.length));
}

suite('framing of lines', () => {
  test('delivers messages however their bytes are split', () => {
    const messages = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        messages,
        fc.array(fc.nat(2_000), { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n', '\n\n', ' \n'),
        (list, places, ending) => {
          const texts = list.map((message) => JSON.stringify(message));
          const bytes = Buffer.from(texts.map((text) => text + ending).join(''));
          const expected = texts.map((text): Json => JSON.parse(text));
          assert.deepEqual(messagesOf(...cut(bytes, places)), expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('delivers the messages of mixed framing however their bytes are split', () => {
    const unit = fc.record({ value: fc.string({ unit: 'grapheme' }), isHeaderFramed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 6 }), fc.array(fc.nat(1_000), { maxLength: 10 }), (units, places) => {
        const parts = units.map(({ value, isHeaderFramed }) => {
          const text = JSON.stringify({ value });
          return isHeaderFramed ? `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}` : `${text}\n`;
        });
        const found = messagesOf(...cut(Buffer.from(parts.join('')), places));
        assert.deepEqual(
          found.map((message) => message['value']),
          units.map(({ value }) => value),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('never throws, whatever the bytes', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc
        .constantFrom('Content-Length: 5\r\n', 'content-length: 99999999\n\n', '\n', '[', '{"id":1}', '[[],{}]\n', '\r')
        .map((text) => new Uint8Array(Buffer.from(text))),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 200 }), (chunks, cap) => {
        frame(chunks, cap);
      }),
      { numRuns: 500 },
    );
  });

  test('passes over a byte order mark, blank lines and spaces', () => {
    assert.deepEqual(messagesOf('\uFEFF{"id":1}\n\n\r\n   \n  {"id":2}\r\n'), [{ id: 1 }, { id: 2 }]);
  });

  test('reports noise, clipped, and goes on', () => {
    const framed = frame([
      `hello\n{"id":1}\n{"half":\n5\n"text"\nnull\n[]\n[1,{"id":2}]\n${'x'.repeat(600)}\n{"id":3}\n`,
    ]);
    assert.deepEqual(framed.messages, [{ id: 1 }, { id: 2 }, { id: 3 }]);
    assert.deepEqual(framed.noise, [
      'hello (not a message)',
      '{"half": (not JSON)',
      '5 (not a message)',
      '"text" (not a message)',
      'null (not a message)',
      '[] (JSON, but no message)',
      '1 (a batch member that is no message)',
      `${'x'.repeat(499)}… (not a message)`,
    ]);
  });

  test('takes a log line in brackets for noise', () => {
    assert.deepEqual(frame(['[info] ready\n[10:42:05] x\n[]\n[{"method":"a"},1]\n']), {
      messages: [{ method: 'a' }],
      noise: [
        '[info] ready (not a message)',
        '[10:42:05] x (not a message)',
        '[] (JSON, but no message)',
        '1 (a batch member that is no message)',
      ],
      dropped: [],
    });
  });

  test('splits a batch', () => {
    assert.deepEqual(messagesOf('[{"method":"a"},{"id":1,"result":{}}]\n{"id":2}\n'), [
      { method: 'a' },
      { id: 1, result: {} },
      { id: 2 },
    ]);
  });

  test('delivers invalid UTF-8 as replacement characters', () => {
    assert.deepEqual(messagesOf(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d, 0x0a])), [
      { a: '\uFFFD' },
    ]);
  });

  test('keeps a member called __proto__ a member', () => {
    const [message] = messagesOf('{"__proto__":{"polluted":true}}\n');
    assert.equal(Object.getPrototypeOf(message), Object.prototype);
    assert.deepEqual(Object.keys(message ?? {}), ['__proto__']);
  });

  test('delivers a last line without a newline when the stream ends', () => {
    assert.deepEqual(frame(['{"id":1}'], undefined, false).messages, []);
    assert.deepEqual(frame(['{"id":1}']).messages, [{ id: 1 }]);
  });

  test('stops between two messages when time is up and goes on later', () => {
    const framer = new MessageFramer({ onNoise: () => undefined, onDropped: () => undefined });
    const seen: Json[] = [];
    const drain = (): boolean =>
      framer.drain(
        (message) => seen.push(message['id'] ?? null),
        () => true,
      );
    framer.push(Buffer.from('{"id":1}\n[{"id":2},{"id":3}]\n{"id":4}\n'));
    const more = [drain(), drain(), drain(), drain()];
    assert.deepEqual(
      [seen, more],
      [
        [1, 2, 3, 4],
        [true, true, true, false],
      ],
    );
  });
});

suite('framing with headers', () => {
  test('ignores other headers and takes the length in bytes', () => {
    const body = JSON.stringify({ text: 'größer 😀' });
    const head = `Content-Type: application/json\r\nX: y\r\n`;
    assert.deepEqual(frame([`Content-Length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}{"id":2}\n`]).messages, [
      { text: 'größer 😀' },
      { id: 2 },
    ]);
  });

  test('survives a header that announces nothing', () => {
    assert.deepEqual(messagesOf('Content-Length: 12\r\n{"id":1}\n'), [{ id: 1 }]);
    assert.deepEqual(messagesOf('Content-Length: 0\r\n\r\n{"id":1}\n'), [{ id: 1 }]);
  });

  test('skips a body over the cap', () => {
    const body = `{"id":7,"result":"${'x'.repeat(200)}"}`;
    const framed = frame([`Content-Length: ${body.length}\r\n\r\n${body}{"id":2}\n`], 100);
    assert.deepEqual(framed, { messages: [{ id: 2 }], noise: [], dropped: ['MESSAGE_TOO_LARGE 7 answer'] });
  });
});

suite('limits of framing', () => {
  test('drops a line over the cap and says whose it was, by its beginning or its end', () => {
    const long = 'x'.repeat(300);
    const lines = [
      `{"jsonrpc":"2.0","id":7,"result":{"id":1,"text":"${long}"}}`,
      `{"result":{"id":1,"text":"${long}"},"jsonrpc":"2.0","id":8}`,
      `{"result":{"text":"${long}"},"id":"nine","jsonrpc":"2.0"}`,
      `{"method":"m","params":{"text":"${long}"},"jsonrpc":"2.0","id":10}`,
      `{"method":"m","params":{"text":"${long}","id":3}}`,
      `${long}`,
    ];
    for (const size of [1, 13, 10_000]) {
      const bytes = Buffer.from(`${lines.join('\n')}\n{"id":2}\n`);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      assert.deepEqual(frame(chunks, 200), {
        messages: [{ id: 2 }],
        noise: [],
        dropped: [
          'MESSAGE_TOO_LARGE 7 answer',
          'MESSAGE_TOO_LARGE 8 answer',
          'MESSAGE_TOO_LARGE "nine" answer',
          'MESSAGE_TOO_LARGE 10 request',
          'MESSAGE_TOO_LARGE undefined request',
          'MESSAGE_TOO_LARGE undefined answer',
        ],
      });
    }
  });

  test('says at once whose line it is that never ends', () => {
    const framed = frame([`{"id":7,"result":"`, 'x'.repeat(300)], 200, false);
    assert.deepEqual(framed.dropped, ['MESSAGE_TOO_LARGE 7 answer']);
  });

  test('gives the memory of what it has read back at once, and of nothing that others have a part in', () => {
    const piece = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.padEnd(9_000, 'x')));
    const shared = new Uint8Array(new Uint8Array(9_001).fill(0x78).buffer, 1);
    const long = [piece('{"jsonrpc":"2.0","id":7,"result":"'), shared, piece('y'), piece('z')];
    const after = new Uint8Array(Buffer.from('\n{"jsonrpc":"2.0","method":"on"}'.padEnd(9_000, '\n')));
    const next = [
      piece('{"jsonrpc":"2.0","method":"a","params":{"b":"'),
      piece('y'),
      new Uint8Array(Buffer.from('"}}\n')),
    ];
    const { messages, dropped } = frame([...long, after, ...next], 28_000);
    assert.deepEqual(dropped, ['MESSAGE_TOO_LARGE 7 answer']);
    assert.deepEqual(
      messages.map(({ method }) => method),
      ['on', 'a'],
    );
    assert.deepEqual(
      [...long, after, ...next].map(({ length }) => length),
      [0, 9_000, 0, 0, 9_000, 0, 0, 4],
    );
  });

  test('a line of exactly the cap passes', () => {
    assert.deepEqual(frame(['{"id":1}\n'], 8).messages, [{ id: 1 }]);
    assert.deepEqual(frame(['{"id":1}\n'], 7).dropped, ['MESSAGE_TOO_LARGE 1 answer']);
  });

  test('drops what nests deeper than 512 levels, in a batch too', () => {
    const nested = (levels: number): string => `{"id":${levels},"result":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const framed = frame([`${nested(511)}\n${nested(512)}\n[{"id":5,"method":"m","params":${nested(600)}}]\n`]);
    assert.deepEqual(
      [framed.messages.map((message) => message['id']), framed.dropped],
      [[511], ['INVALID_MESSAGE 512 answer', 'INVALID_MESSAGE 5 request']],
    );
    assert.deepEqual(frame([`${nested(1_000_000)}\n`]).dropped, ['INVALID_MESSAGE 1000000 answer']);
  });

  test('a long line in tiny pieces costs no more than its bytes', () => {
    const text = JSON.stringify({ text: 'y'.repeat(2_000_000) });
    const bytes = Buffer.from(`${text}\n`);
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 7) chunks.push(bytes.subarray(at, at + 7));
    const start = cpuTime();
    assert.equal(frame(chunks).messages.length, 1);
    // Quadratic joining takes minutes here.
    assert.ok(cpuTime() - start < 5_000);
  });
});

suite('the memory of long messages', () => {
  test('serves the next one while it is held, and no text is what another one was', () => {
    const memories: Uint8Array[] = [];
    const texts: Json[] = [];
    const framer = new MessageFramer({
      onNoise: (line) => assert.fail(line),
      onDropped: ({ error }) => assert.fail(error.message),
      onLong: (memory) => memories.push(memory),
    });
    const sizes = [1_500_000, 1_520_000, 30_000, 1_200_000, 4_000_000, 3_000_000];
    const lines = sizes.map((size, i) => `${JSON.stringify({ text: String(i).repeat(size) })}\n`);
    const bytes = Buffer.from(lines.join(''));
    for (let at = 0; at < bytes.length; at += 50_000) {
      framer.push(bytes.subarray(at, at + 50_000));
      framer.drain((message) => texts.push(message['text'] ?? null), never);
    }
    assert.ok(texts.every((text, i) => text === String(i).repeat(sizes[i] ?? 0)));
    assert.equal(texts.length, sizes.length);
    const buffers = memories.map(({ buffer }) => buffer);
    // Two messages of 1.5 MB and one of 1.2 MB share a buffer, and those of 4 and 3 MB another.
    assert.deepEqual(
      buffers.map((buffer) => buffers.indexOf(buffer)),
      [0, 0, 0, 3, 3],
    );
  });
});
