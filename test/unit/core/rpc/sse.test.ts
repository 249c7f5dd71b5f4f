import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isHostError } from '../../../../src/core/index.ts';
import { SseParser } from '../../../../src/core/rpc/sse.ts';

function parse(chunks: readonly string[], maxEvent = 1_000): readonly string[] {
  const seen: string[] = [];
  const parser = new SseParser(
    {
      onEvent: ({ type, data }) => seen.push(`${type}[${parser.lastEventId}] ${JSON.stringify(data)}`),
      onRetry: (ms) => seen.push(`retry ${ms}`),
    },
    maxEvent,
  );
  for (const chunk of chunks) parser.push(chunk);
  return [...seen, ...(parser.lastEventId === '' ? [] : [`id ${parser.lastEventId}`])];
}

suite('server-sent events', () => {
  test('fields, comments, ids and unfinished events are read as the standard says', () => {
    const text = [
      ': comment',
      'data: one',
      'data:two',
      'data',
      '',
      'event: named',
      'id: 7',
      'data:  spaced: x',
      'unknown: y',
      '',
      'id: 8',
      'retry: 250',
      'retry: soon',
      '',
      'id: a\0b',
      'data: {"a":1}',
      '',
      'id: 9',
      'data: unfinished',
    ];
    assert.deepEqual(parse([text.join('\n')]), [
      'message[] "one\\ntwo\\n"',
      'named[7] " spaced: x"',
      'retry 250',
      'message[8] "{\\"a\\":1}"',
      'id 8',
    ]);
  });

  test('lines end in any of three ways, wherever the stream is cut', () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const text = ['id: 1', 'data: a', 'data: a', '', 'data: b', '', ''].join(end);
      for (let cut = 0; cut <= text.length; cut++)
        assert.deepEqual(
          parse([text.slice(0, cut), '', text.slice(cut)]),
          ['message[1] "a\\na"', 'message[1] "b"', 'id 1'],
          JSON.stringify([end, cut]),
        );
    }
  });

  test('any text, cut anywhere, gives what it gives in one piece', () => {
    const piece = fc.constantFrom('data', 'id', 'event', ':', ' ', '\n', '\r', '\r\n', 'x', 'retry: 5', '\n\n');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(200), { maxLength: 8 }), (pieces, cuts) => {
        const text = pieces.join('');
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((end, index) => text.slice(places[index], end));
        assert.deepEqual(parse(chunks), parse([text]));
      }),
      { numRuns: 500 },
    );
  });

  test('what was written comes back', () => {
    const line = fc.string({ unit: fc.constantFrom(...'a:{" \t\0é😀'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), (events) => {
        const text = events.map((lines) => `${lines.map((part) => `data: ${part}\n`).join('')}\n`).join('');
        const datas = events.map((lines) => lines.join('\n')).filter((data) => data !== '');
        assert.deepEqual(
          parse([text]),
          datas.map((data) => `message[] ${JSON.stringify(data)}`),
        );
      }),
      { numRuns: 50 },
    );
  });

  test('an event over the cap is refused, be it one line, many lines, or lines of nothing', () => {
    const endless: readonly (readonly string[])[] = [
      Array<string>(20).fill('x'.repeat(10)),
      Array<string>(20).fill('data: 123456789\n'),
      Array<string>(200).fill('data\n'),
    ];
    for (const chunks of endless)
      assert.throws(
        () => parse(chunks, 100),
        (error) => isHostError(error, 'MESSAGE_TOO_LARGE'),
      );
    const long = `: ${'c'.repeat(90)}\n`;
    assert.deepEqual(parse([long, long, 'data: 1\n\n', long, 'data: 2\n\n'], 100), ['message[] "1"', 'message[] "2"']);
  });
});
