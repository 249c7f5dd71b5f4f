import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Json } from '../../../../src/core/base/json.ts';
import { unreadText } from '../../../../src/core/base/unreadJson.ts';
import { JsonMachine } from '../../../../src/core/rpc/jsonMachine.ts';
import { decodeWithTextDecoder } from '../../../../src/core/rpc/decodeUtf8.ts';
import { MessageFramer } from '../../../../src/core/rpc/framing.ts';
import { type LiftedMessage, ValueLifter } from '../../../../src/core/rpc/valueLifter.ts';
import { decodeStateResult } from '../../../../src/core/wire/mcpl/stateResult.ts';

const PATHS = [
  ['result', 'state', 'data'],
  ['result', 'state', 'patch'],
  ['params', 'data'],
];
const LONG = 'é'.repeat(70_000);

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, i) => bytes.slice(from, sorted[i] ?? bytes.length));
}

function lift(text: string | Uint8Array, places: readonly number[] = []): LiftedMessage {
  const lifter = new ValueLifter(PATHS, decodeWithTextDecoder());
  for (const piece of cut(Buffer.from(text), places)) lifter.take(piece, 0, piece.length);
  return lifter.finish();
}

/** The lifted values by path. */
function liftedFrom(text: string, places?: readonly number[]): Readonly<Record<string, string>> {
  const lifted = lift(text, places);
  return Object.fromEntries(lifted.values.map((value) => [value.path.join('.'), value.text]));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function machineTakes(text: string, places: readonly number[] = []): boolean {
  const machine = new JsonMachine();
  for (const piece of cut(Buffer.from(text), places))
    for (let at = 0; at < piece.length;) at = machine.run(piece, at, piece.length);
  return machine.isComplete;
}

const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), fc.constantFrom(0, 1, '\t', '\r\n'))
  .map(([value, space]) => JSON.stringify(value, undefined, space));

suite('JSON that is followed byte by byte', () => {
  test('is taken where the language takes it, and nowhere else', () => {
    const broken = fc
      .tuple(spaced, fc.nat(), fc.constantFrom(...'{}[]",:\\/0123456789-+.eEtrufalsn \n\tx'), fc.boolean())
      .map(([text, at, char, isAdded]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + char + text.slice(isAdded ? place : place + 1);
      });
    fc.assert(
      fc.property(fc.oneof(spaced, broken), fc.array(fc.nat(), { maxLength: 5 }), (text, places) => {
        const inArray = `[${text}]`;
        assert.equal(machineTakes(inArray, places), isJson(inArray), JSON.stringify(inArray));
      }),
      { numRuns: 2_000 },
    );
  });

  const CASES: readonly (readonly [text: string, isTaken: boolean])[] = [
    ['[0,-0,1.5,10e3,1E-7,0.1e+9]', true],
    ['[01]', false],
    ['[1.]', false],
    ['[.5]', false],
    ['[-]', false],
    ['[1e]', false],
    ['[+1]', false],
    ['[true,false,null]', true],
    ['[tru]', false],
    ['[truee]', false],
    ['["\\u12aF\\n\\/"]', true],
    ['["\\u12g0"]', false],
    ['["\\x"]', false],
    ['["\u0001"]', false],
    ['["a\nb"]', false],
    ['["\u007f\u0085é😀"]', true],
    ['{"a":1,}', false],
    ['{,}', false],
    ['{"a"}', false],
    ['[1,]', false],
    ['[1}', false],
    ['{}{}', false],
    ['{} ]', false],
    ['[]\r\n\t ', true],
    [`${'['.repeat(512)}${']'.repeat(512)}`, true],
    // Valid for JavaScript, but not for the host.
    [`${'['.repeat(513)}${']'.repeat(513)}`, false],
  ];
  for (const [text, isTaken] of CASES) {
    test(`${isTaken ? 'takes' : 'does not take'} ${JSON.stringify(text).slice(0, 40)}`, () => {
      assert.equal(machineTakes(text), isTaken);
      assert.equal(
        machineTakes(
          text,
          [...text].map((_, at) => at),
        ),
        isTaken,
      );
    });
  }
});

suite('values that are lifted from a message', () => {
  test('are those at the wanted paths, unchanged', () => {
    const data = `{ "data" : [1.0, "${LONG}"] , "state":{"data":"no"}}`;
    const text = `{"jsonrpc":"2.0","id":1,"result":{"content":["data"],"state":{"checkpoint":"c1","data":${data},"x":[]}}}`;
    assert.deepEqual(liftedFrom(text), { 'result.state.data': data });
    assert.equal(
      lift(text).text,
      '{"jsonrpc":"2.0","id":1,"result":{"content":["data"],"state":{"checkpoint":"c1","data":0,"x":[]}}}',
    );
  });

  test('are several, in any order', () => {
    const text = `{"params":{"data":"${LONG}","x":1},"result":{"state":{"patch":["${LONG}"],"data":{"a":"${LONG}"}}}}`;
    assert.deepEqual(liftedFrom(text), {
      'params.data': `"${LONG}"`,
      'result.state.patch': `["${LONG}"]`,
      'result.state.data': `{"a":"${LONG}"}`,
    });
    assert.equal(lift(text).text, '{"params":{"data":0,"x":1},"result":{"state":{"patch":0,"data":0}}}');
  });

  const WHOLE: readonly (readonly [what: string, text: string])[] = [
    ['a short value', '{"result":{"state":{"data":{"a":1}}}}'],
    ['a number', '{"result":{"state":{"data":12}}}'],
    ['a name that is there twice', `{"result":{"state":{"data":"${LONG}","data":"${LONG}"}}}`],
    ['a name above it that is there twice', `{"result":{"state":{"data":"${LONG}"}},"result":{}}`],
    ['a name with an escape on its way', `{"result":{"state":{"data":"${LONG}","d\\u0061ta":1}}}`],
    ['a name with an escape outside', `{"result":{"state":{"data":"${LONG}"}},"resul\\u0074":1}`],
    ['what is no JSON before', `{"a":01,"result":{"state":{"data":"${LONG}"}}}`],
    ['what is no JSON inside', `{"result":{"state":{"data":["${LONG}",]}}}`],
    ['what is no JSON behind', `{"result":{"state":{"data":"${LONG}"}},}`],
    ['what does not end', `{"result":{"state":{"data":"${LONG}"}}`],
    ['what does not end inside', `{"result":{"state":{"data":"${LONG}`],
    ['a batch', `[{"result":{"state":{"data":"${LONG}"}}}]`],
    ['a text', `"${LONG}"`],
    ['a place that is a little elsewhere', `{"result":[{"state":{"data":"${LONG}"}}]}`],
    ['a name that only begins so', `{"result":{"state":{"datax":"${LONG}","dat":"${LONG}"}}}`],
    ['a place inside of a text', `{"result":{"state":"{\\"data\\":\\"${LONG}\\"}"}}`],
    ['what nests too deep', `{"result":{"state":{"data":["${LONG}",${'['.repeat(510)}${']'.repeat(510)}]}}}`],
  ];
  for (const [what, text] of WHOLE) {
    test(`are none, and the message stays unchanged: ${what}`, () => {
      assert.deepEqual(lift(text), { text, values: [] });
      assert.deepEqual(lift(text, [1, 20, 70_001, 140_000, 140_001, 140_040]), { text, values: [] });
    });
  }

  test('are the same however the bytes are split, in the middle of a character too', () => {
    const data = JSON.stringify({ text: LONG, more: '😀€é'.repeat(20_000) });
    const text = `{"result":{"state":{"checkpoint":"é","data":${data}}},"id":7}`;
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (places) => {
        assert.deepEqual(liftedFrom(text, places), { 'result.state.data': data });
      }),
      { numRuns: 30 },
    );
    const bytes = [...Buffer.from(text)].map((_, at) => at);
    assert.deepEqual(liftedFrom(text, bytes), { 'result.state.data': data });
  });

  test('that are no UTF-8 are read as they are elsewhere', () => {
    const bad = [0xff, 0xe2, 0x82, 0x41, 0xf0, 0x9f, 0x98, 0xc3, 0x22];
    const bytes = Buffer.concat([
      Buffer.from(`{"result":{"state":{"data":"${LONG}`),
      Buffer.from(bad),
      Buffer.from('}}}'),
    ]);
    const whole: Json = JSON.parse(bytes.toString());
    for (const places of [[], bad.map((_, at) => bytes.length - 4 - at)]) {
      const { text, values } = lift(bytes, places);
      assert.equal(text, '{"result":{"state":{"data":0}}}');
      assert.deepEqual({ result: { state: { data: JSON.parse(values[0]?.text ?? '') as Json } } }, whole);
    }
  });
});

suite('messages with unparsed values', () => {
  function framed(bytes: Uint8Array, places: readonly number[]): readonly Json[] {
    const messages: Json[] = [];
    const framer = new MessageFramer({
      lineCap: 4_000_000,
      onNoise: (line, why) => messages.push(`${line.slice(0, 20)} (${why})`),
      onDropped: ({ id, error }) => messages.push(`${error.code} ${String(id)}`),
    });
    framer.leaveUnread(PATHS);
    for (const piece of cut(bytes, places)) {
      framer.push(piece);
      framer.drain(
        (message) => messages.push(message),
        () => false,
      );
    }
    framer.end();
    framer.drain(
      (message) => messages.push(message),
      () => false,
    );
    return messages;
  }

  test('are the same messages for every reader', () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant('x'.repeat(100_000)), fc.constant([LONG]));
    const state = fc.dictionary(fc.constantFrom('data', 'patch', 'checkpoint', '__proto__', 'é'), value);
    const message = fc.oneof(
      fc.record({ id: fc.nat(), result: fc.record({ state, content: value }) }),
      fc.record({ method: fc.constant('state/update'), params: state }),
      fc.record({ result: value, state }),
    );
    const line = fc.tuple(message, fc.nat(300_000)).map(([whole, padding]) => {
      const text = JSON.stringify(whole);
      return `${text.slice(0, -1)},"padding":"${'p'.repeat(padding)}"}\n`;
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 9 }), (lines, places) => {
        const expected = lines.map((text): Json => JSON.parse(text));
        const found = framed(Buffer.from(lines.join('')), places);
        assert.equal(JSON.stringify(found), JSON.stringify(expected));
        assert.deepEqual(found, expected);
      }),
      { numRuns: 60 },
    );
  });

  test('keep the text of a large one, which is parsed on access', () => {
    const data = `[1.0,"${'x'.repeat(300_000)}"]`;
    const [message] = framed(Buffer.from(`{"id":1,"result":{"state":{"checkpoint":"c","data":${data}}}}\n`), []);
    assert.ok(typeof message === 'object' && message !== null && 'result' in message);
    const { result } = message;
    assert.ok(typeof result === 'object' && result !== null && !Array.isArray(result) && 'state' in result);
    const { state } = result;
    assert.ok(typeof state === 'object' && state !== null && !Array.isArray(state) && 'data' in state);
    assert.equal(unreadText(state, 'data'), data);
    const decoded = decodeStateResult(result);
    assert.deepEqual(decoded && 'body' in decoded && decoded.body, { kind: 'data', text: data });
    assert.ok(Object.getOwnPropertyDescriptor(state, 'data')?.get !== undefined, 'nobody read it so far');
    assert.deepEqual(state['data'], JSON.parse(data));
    assert.equal(state['data'], state['data'], 'it is read once');
  });

  test('that are too long are dropped, and the next is delivered', () => {
    const long = `{"id":4,"result":{"state":{"data":"${'x'.repeat(4_000_000)}"}}}\n`;
    assert.deepEqual(framed(Buffer.from(`${long}{"id":5}\n`), []), ['MESSAGE_TOO_LARGE 4', { id: 5 }]);
    const last = `{"result":{"state":{"data":"${'x'.repeat(4_000_000)}"}},"id":6}\n`;
    assert.deepEqual(framed(Buffer.from(`${last}{"id":5}\n`), [3_999_999, 4_000_030]), [
      'MESSAGE_TOO_LARGE 6',
      { id: 5 },
    ]);
  });

  test('that nest too deep are dropped, with their id', () => {
    const deep = `{"id":4,"result":{"state":{"data":["${LONG}${LONG}",${'['.repeat(600)}${']'.repeat(600)}]}}}\n`;
    assert.deepEqual(framed(Buffer.from(`${deep}{"id":5}\n`), [200_000]), ['INVALID_MESSAGE 4', { id: 5 }]);
  });

  test('that are no JSON are noise', () => {
    const broken = `{"id":4,"result":{"state":{"data":["${LONG}${LONG}",]}}}\n`;
    assert.deepEqual(framed(Buffer.from(`${broken}{"id":5}\n`), [200_000]), [
      '{"id":4,"result":{"s (not JSON)',
      { id: 5 },
    ]);
  });

  test('may have a length in front', () => {
    const text = `{"id":4,"result":{"state":{"data":\n["${LONG}${LONG}"]\n}}}`;
    const bytes = Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}{"id":5}\n`);
    assert.deepEqual(framed(bytes, [9, 200_000]), [JSON.parse(text), { id: 5 }]);
  });
});
