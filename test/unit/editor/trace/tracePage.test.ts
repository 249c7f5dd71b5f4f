import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TraceEntry } from '../../../../src/core/index.ts';
import { traceMessage, traceRow } from '../../../../src/editor/trace/traceText.ts';
import {
  isAtEnd,
  type ListView,
  missingRows,
  rowAfterKey,
  scrollTo,
  visibleRows,
} from '../../../../src/webview/shared/listWindow.ts';
import { decodeFromTracePage, decodeTracePageState } from '../../../../src/webview/trace/traceMessages.ts';

const entry = (rest: Partial<TraceEntry> = {}): TraceEntry => ({
  n: 3,
  at: new Date(2026, 0, 2, 3, 4, 5, 6).getTime(),
  direction: 'sent',
  kind: 'request',
  method: 'tools/call',
  id: 7,
  size: 12,
  text: '{"id":7,"deep":{"a":1}}',
  isCut: false,
  ...rest,
});

suite('A traced message', () => {
  test('is a row of plain texts', () => {
    assert.deepEqual(traceRow(entry({ method: 'to\u202eols\ncall', size: 1_234_567 }), 9), {
      position: 9,
      n: 3,
      time: '03:04:05.006',
      direction: 'sent',
      kind: 'request',
      method: 'tools call',
      id: '7',
      size: '1.2 MB',
    });
  });

  test('is shown indented, or unchanged if it is no complete JSON', () => {
    const shown = traceMessage(entry({ direction: 'received', kind: 'result' }));
    assert.deepEqual(shown, {
      n: 3,
      title: 'tools/call (result)',
      facts: 'received from the server at 03:04:05.006 · id 7 · 12 B',
      text: '{\n  "id": 7,\n  "deep": {\n    "a": 1\n  }\n}',
    });
    const cut = traceMessage(entry({ text: '{"id":7,"de…', isCut: true, size: 99_000, method: undefined }));
    assert.deepEqual(
      [cut.title, cut.facts.split(' · ').at(-1), cut.text],
      ['request', 'only its beginning is kept', '{"id":7,"de…'],
    );
    assert.equal(traceMessage(entry({ text: '{"a":‹secret›}' })).text, '{"a":‹secret›}');
  });
});

const view = fc
  .record({
    start: fc.integer({ min: 0, max: 1_000 }),
    count: fc.integer({ min: 0, max: 5_000 }),
    height: fc.integer({ min: 1, max: 900 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ start, count, height, part }): ListView => {
    const rowHeight = 22;
    const scrollTop = Math.floor(Math.max(0, count * rowHeight - height) * part);
    return { start, end: start + count, height, rowHeight, scrollTop };
  });

suite('The window of a long list', () => {
  test('has every row that is partly to be seen, and none that is not there', () => {
    fc.assert(
      fc.property(view, fc.integer({ min: 0, max: 20 }), (list, margin) => {
        const { from, to } = visibleRows(list, margin);
        assert.ok(list.start <= from && from <= to && to <= list.end);
        for (let position = list.start; position < list.end; position++) {
          const top = (position - list.start) * list.rowHeight;
          const isSeen = top + list.rowHeight > list.scrollTop && top < list.scrollTop + list.height;
          if (isSeen) assert.ok(from <= position && position < to, `${position} is not in ${from}–${to}.`);
        }
        assert.ok(to - from <= Math.ceil(list.height / list.rowHeight) + 2 + 2 * margin);
      }),
    );
  });

  test('asks for what is missing and no more', () => {
    const has = (known: readonly number[]) => (position: number) => known.includes(position);
    assert.deepEqual(
      [
        missingRows({ from: 3, to: 7 }, has([])),
        missingRows({ from: 3, to: 7 }, has([3, 6])),
        missingRows({ from: 3, to: 7 }, has([3, 4, 5, 6])),
        missingRows({ from: 3, to: 3 }, has([])),
      ],
      [{ from: 3, to: 7 }, { from: 4, to: 6 }, undefined, undefined],
    );
  });

  test('scrolls as little as it takes to see a row, whichever key led there', () => {
    const keys = fc.constantFrom('ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End');
    fc.assert(
      fc.property(view, keys, fc.option(fc.nat(5_000), { nil: undefined }), (list, key, at) => {
        const current = at === undefined ? undefined : Math.min(list.start + at, Math.max(list.start, list.end - 1));
        const next = rowAfterKey(key, current, list);
        if (list.start === list.end) return assert.equal(next, undefined);
        assert.ok(next !== undefined && next >= list.start && next < list.end);
        const scrollTop = scrollTo(next, list);
        const top = (next - list.start) * list.rowHeight;
        if (list.height < list.rowHeight) return undefined;
        assert.ok(top >= scrollTop && top + list.rowHeight <= scrollTop + list.height);
        assert.equal(scrollTo(next, { ...list, scrollTop }), scrollTop);
        return undefined;
      }),
    );
  });

  test('knows its end, and other keys lead nowhere', () => {
    const list = { start: 10, end: 110, height: 220, rowHeight: 22, scrollTop: 1_980 };
    assert.deepEqual(
      [
        isAtEnd(list),
        isAtEnd({ ...list, scrollTop: 1_960 }),
        rowAfterKey('a', 20, list),
        rowAfterKey('PageUp', 20, list),
      ],
      [true, false, undefined, 11],
    );
  });
});

suite('What the page of a trace sends', () => {
  test('is taken only when it is understood, and asks for no more rows than a screen has', () => {
    const filter = { text: 'tools', direction: 'sent' };
    const read = [
      { type: 'ready', filter },
      { type: 'filter', filter: { text: 'tools', direction: 'up' } },
      { type: 'rows', list: 1, from: 5, count: 1e9 },
      { type: 'rows', list: 1, from: -5, count: 3 },
      { type: 'message', n: 1.5 },
      { type: 'copy', n: 2 },
      { type: 'clear', more: true },
      { type: 'eval' },
      [],
    ].map(decodeFromTracePage);
    assert.deepEqual(read, [
      { type: 'ready', filter },
      undefined,
      { type: 'rows', list: 1, from: 5, count: 1_000 },
      undefined,
      undefined,
      { type: 'copy', n: 2 },
      { type: 'clear' },
      undefined,
      undefined,
    ]);
    assert.deepEqual(decodeTracePageState({ server: 'a', filter, more: 1 }), { server: 'a', filter });
    assert.equal(decodeTracePageState({ server: 'a' }), undefined);
  });
});
