import assert from 'node:assert/strict';
import fc from 'fast-check';
import { leftOut, type Piece, roomFor } from '../../../../src/editor/chat/chatBudget.ts';

const kinds = ['turn', 'reference', 'result', 'kept'] as const;
const pieces = fc.array(fc.record({ tokens: fc.nat(1_000), kind: fc.constantFrom(...kinds) }), { maxLength: 30 });
const total = (all: readonly Piece[], out: ReadonlySet<number>): number =>
  all.reduce((sum, { tokens }, index) => (out.has(index) ? sum : sum + tokens), 0);
const of = (all: readonly Piece[], kind: Piece['kind']): readonly number[] =>
  all.flatMap((piece, index) => (piece.kind === kind ? [index] : []));

suite('What of a prompt does not fit into a model', () => {
  test('is nothing where all of it fits, and goes in order: old turns, the largest attachment, the largest result', () => {
    const all: readonly Piece[] = [
      { kind: 'turn', tokens: 10 },
      { kind: 'turn', tokens: 100 },
      { kind: 'reference', tokens: 20 },
      { kind: 'reference', tokens: 30 },
      { kind: 'kept', tokens: 5 },
      { kind: 'result', tokens: 7 },
      { kind: 'result', tokens: 9 },
    ];
    const left = (limit: number): readonly number[] | undefined => {
      const out = leftOut(all, limit);
      return out === undefined ? undefined : [...out];
    };
    assert.deepEqual(
      [181, 180, 171, 170, 71, 41, 40, 20, 12, 5, 4].map((limit) => [limit, left(limit)]),
      [
        [181, []],
        [180, [0]],
        [171, [0]],
        [170, [0, 1]],
        [71, [0, 1]],
        [41, [0, 1, 3]],
        [40, [0, 1, 3, 2]],
        [20, [0, 1, 3, 2, 6]],
        [12, [0, 1, 3, 2, 6]],
        [5, [0, 1, 3, 2, 6, 5]],
        [4, undefined],
      ],
    );
  });

  test('never is what must stay; the rest fits, and nothing is left out that need not be', () => {
    fc.assert(
      fc.property(pieces, fc.nat(10_000), (all, limit) => {
        const out = leftOut(all, limit);
        const kept = of(all, 'kept').reduce((sum, index) => sum + (all[index]?.tokens ?? 0), 0);
        if (out === undefined) return kept > limit;
        const last = [...out].at(-1);
        const withLast = new Set([...out].slice(0, -1));
        return (
          total(all, out) <= limit &&
          of(all, 'kept').every((index) => !out.has(index)) &&
          (last === undefined || total(all, withLast) > limit)
        );
      }),
    );
  });

  test('is of the turns the oldest ones, and no attachment before all of them, and no result before all attachments', () => {
    fc.assert(
      fc.property(pieces, fc.nat(10_000), (all, limit) => {
        const out = leftOut(all, limit) ?? new Set<number>();
        const turns = of(all, 'turn');
        const gone = turns.filter((index) => out.has(index));
        const isPrefix = gone.every((index, at) => turns[at] === index);
        const isOut = (kind: Piece['kind']): boolean => of(all, kind).some((index) => out.has(index));
        const areAllOut = (kind: Piece['kind']): boolean => of(all, kind).every((index) => out.has(index));
        return isPrefix && (!isOut('reference') || areAllOut('turn')) && (!isOut('result') || areAllOut('reference'));
      }),
    );
  });

  test('is judged by what the model takes, without the room for its answer', () => {
    assert.deepEqual([100_000, 8_000, 8, 0].map(roomFor), [95_904, 7_000, 7, 0]);
  });
});
