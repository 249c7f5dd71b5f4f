import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ProtocolTrace, TraceRing } from '../../../../src/core/trace/protocolTrace.ts';
import type { TraceEntry } from '../../../../src/core/trace/traceEntry.ts';
import { TraceSelection } from '../../../../src/core/trace/traceSelection.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const entry = (n: number, length: number): TraceEntry => ({
  n,
  at: 0,
  direction: 'sent',
  kind: 'notification',
  method: 'm',
  id: undefined,
  size: length,
  text: 'x'.repeat(length),
  isCut: false,
});

suite('The ring of a trace', () => {
  test('keeps the newest that fit, by count and by characters, as a plain list would', () => {
    const limits = fc.record({ count: fc.integer({ min: 1, max: 40 }), characters: fc.integer({ min: 1, max: 300 }) });
    fc.assert(
      fc.property(
        limits,
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3_000, size: 'max' }),
        ({ count, characters }, all) => {
          const ring = new TraceRing({ count, characters });
          let model: TraceEntry[] = [];
          for (const [index, length] of all.entries()) {
            const added = entry(index + 1, length);
            ring.push(added);
            model.push(added);
            const sum = (): number => model.reduce((total, { text }) => total + text.length, 0);
            while (model.length > 1 && (model.length > count || sum() > characters)) model = model.slice(1);
            assert.deepEqual([ring.size, ring.characters, ring.first], [model.length, sum(), model[0]?.n]);
          }
          const first = model[0]?.n ?? 0;
          assert.deepEqual(
            Array.from({ length: model.length + 2 }, (_, i) => ring.get(first - 1 + i)),
            [undefined, ...model, undefined].slice(0, model.length + 2),
          );
        },
      ),
      { numRuns: 20 },
    );
  });
});

suite('A selection of a trace', () => {
  test('has at every position what a filter over the whole trace would have there, whatever was forgotten', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('record' as const), method: fc.constantFrom('a', 'b', 'ab') }),
      fc.record({ kind: fc.constantFrom('update' as const, 'clear' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300, size: 'max' }), fc.constantFrom('', 'a', 'b'), (steps, text) => {
        const trace = new ProtocolTrace({ clock: new FakeClock(), limits: { count: 20, characters: 10_000 } });
        trace.set(true);
        const selection = new TraceSelection(trace, { text, direction: 'both' });
        // The first entry seen at each position.
        const seen = new Map<number, number>();
        const look = (): void => {
          selection.update();
          for (let position = selection.start; position < selection.end; position++) {
            const n = selection.page(position, 1)[0]?.n ?? 0;
            assert.equal(seen.get(position) ?? n, n);
            seen.set(position, n);
          }
        };
        for (const each of steps) {
          if (each.kind === 'record') trace.record('sent', { method: each.method }, (shown) => shown);
          else if (each.kind === 'clear') trace.clear();
          else look();
        }
        look();
        const expected = trace.entries(0, Infinity, selection.filter).map(({ n }) => n);
        assert.deepEqual(
          selection.page(selection.start, selection.end - selection.start).map(({ n }) => n),
          expected,
        );
        assert.equal(selection.end - selection.start, expected.length);
        trace.dispose();
      }),
      { numRuns: 60 },
    );
  });
});
