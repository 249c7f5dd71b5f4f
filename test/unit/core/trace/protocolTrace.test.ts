import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import { redactor } from '../../../../src/core/base/secrets.ts';
import { ProtocolTrace } from '../../../../src/core/trace/protocolTrace.ts';
import { ALL_MESSAGES, MAX_ENTRY_TEXT, type TraceEntry } from '../../../../src/core/trace/traceEntry.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const asIs = (text: string): string => text;

const lineOf = ({ n, direction, kind, method, id }: TraceEntry): string =>
  [n, direction === 'sent' ? '>' : '<', kind, method ?? '-', id ?? '-'].join(' ');

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'add' } };
const ANSWER = { jsonrpc: '2.0', id: 7, result: { content: [] } };

suite('A protocol trace', () => {
  let clock: FakeClock;
  let trace: ProtocolTrace;
  setup(() => {
    clock = new FakeClock();
    trace = new ProtocolTrace({ clock });
  });
  teardown(() => trace.dispose());

  const lines = (): readonly string[] => trace.entries(0, Infinity, ALL_MESSAGES).map(lineOf);

  test('records nothing, and reads nothing of a message, while it is off', () => {
    const unread = new Proxy(CALL, { get: () => assert.fail('It was read.') });
    trace.record('sent', unread, asIs);
    assert.deepEqual([trace.isOn, trace.size, lines()], [false, 0, []]);
  });

  test('distinguishes both directions, and links answers to requests', () => {
    trace.set(true);
    trace.record('sent', CALL, asIs);
    trace.record('received', { jsonrpc: '2.0', method: 'notifications/progress', params: {} }, asIs);
    // The server's own request has the same id, because both sides count from the start.
    trace.record('received', { jsonrpc: '2.0', id: 7, method: 'ping' }, asIs);
    trace.record('sent', { jsonrpc: '2.0', id: 7, result: {} }, asIs);
    trace.record('received', { ...ANSWER, id: '7' }, asIs);
    trace.record('received', { jsonrpc: '2.0', id: 8, error: { code: 1, message: 'no' } }, asIs);
    trace.record('received', [1, 2], asIs);
    trace.recordDropped(9, 'It was too large.', asIs);
    assert.deepEqual(lines(), [
      '1 > request tools/call 7',
      '2 < notification notifications/progress -',
      '3 < request ping 7',
      '4 > result ping 7',
      '5 < result tools/call 7',
      '6 < error - 8',
      '7 < unknown - -',
      '8 < dropped - 9',
    ]);
  });

  test('keeps the time, the size and the text of a message', () => {
    trace.set(true);
    trace.record('sent', CALL, asIs);
    const text = JSON.stringify(CALL);
    assert.deepEqual(trace.get(1), {
      n: 1,
      at: clock.now(),
      direction: 'sent',
      kind: 'request',
      method: 'tools/call',
      id: 7,
      size: text.length,
      text,
      isCut: false,
    });
  });

  test('goes on after what cannot be written as JSON', () => {
    trace.set(true);
    const round: { self?: unknown } = {};
    round.self = round;
    trace.record('sent', round as Json, asIs);
    assert.deepEqual([trace.get(1)?.text, trace.get(1)?.isCut], ['‹a message that is no JSON›', true]);
  });

  test('keeps no secret, also not one that lies across the place where a message is cut', () => {
    trace.set(true);
    const secret = 'sesame-open-up'.repeat(20);
    const redact = redactor([{ name: 'KEY', value: secret }]);
    const texts = [
      'x'.repeat(10) + secret,
      'x'.repeat(MAX_ENTRY_TEXT - 30) + secret + 'x'.repeat(MAX_ENTRY_TEXT),
      'x'.repeat(2 * MAX_ENTRY_TEXT - 30) + secret,
      secret.repeat(2 * MAX_ENTRY_TEXT),
    ];
    for (const text of texts) trace.record('received', { jsonrpc: '2.0', method: 'log', params: { text } }, redact);
    const kept = trace.entries(0, Infinity, ALL_MESSAGES);
    assert.deepEqual(
      kept.map(({ text }) => [text.includes('sesame'), text.length <= MAX_ENTRY_TEXT]),
      kept.map(() => [false, true]),
    );
    assert.deepEqual(
      kept.map(({ isCut }) => isCut),
      [false, true, true, true],
    );
  });

  test('finds by a part of the method, by direction, and from a number on', () => {
    trace.set(true);
    trace.record('sent', CALL, asIs);
    trace.record('received', ANSWER, asIs);
    trace.record('sent', { jsonrpc: '2.0', id: 8, method: 'resources/read' }, asIs);
    trace.record('sent', { ...CALL, id: 9 }, asIs);
    const found = (from: number, count: number, text: string, direction: 'sent' | 'received' | 'both'): Json =>
      trace.entries(from, count, { text, direction }).map(({ n }) => n);
    assert.deepEqual(
      [
        found(0, 10, ' TOOLS ', 'both'),
        found(0, 10, 'tools', 'sent'),
        found(0, 10, '', 'received'),
        found(2, 1, 'tools', 'both'),
      ],
      [[1, 2, 4], [1, 4], [2], [2]],
    );
  });

  test('notifies its viewers once for a burst, and does nothing without viewers', async () => {
    trace.set(true);
    trace.record('sent', CALL, asIs);
    assert.equal(clock.waiting, 0);
    let told = 0;
    const listener = trace.onDidAppend(() => told++);
    for (let i = 0; i < 50; i++) trace.record('sent', CALL, asIs);
    await clock.advance(100);
    assert.equal(told, 1);
    trace.clear();
    await clock.advance(100);
    assert.deepEqual([told, trace.size, trace.first, trace.next], [2, 0, 52, 52]);
    listener.dispose();
  });

  test('keeps what it has when it is switched off', () => {
    trace.set(true);
    trace.record('sent', CALL, asIs);
    trace.set(false);
    trace.record('received', ANSWER, asIs);
    assert.deepEqual(lines(), ['1 > request tools/call 7']);
  });

  test('is exported a line of JSON each, with whole messages unchanged', () => {
    trace.set(true);
    trace.record('sent', CALL, redactor([{ name: 'KEY', value: '"name":"add"}' }]));
    trace.record('received', ANSWER, asIs);
    trace.record('received', { jsonrpc: '2.0', method: 'big', params: { text: 'x'.repeat(MAX_ENTRY_TEXT) } }, asIs);
    const exported = [...trace.exportLines()].map((line): unknown => JSON.parse(line));
    const at = new Date(clock.now()).toISOString();
    assert.deepEqual(exported.slice(0, 2), [
      {
        n: 1,
        at,
        direction: 'sent',
        method: 'tools/call',
        id: 7,
        size: 70,
        kind: 'request',
        message: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{[secret: KEY]}',
      },
      { n: 2, at, direction: 'received', method: 'tools/call', id: 7, size: 48, kind: 'result', message: ANSWER },
    ]);
    assert.equal([...trace.exportLines({ text: 'big', direction: 'both' })].length, 1);
  });
});
