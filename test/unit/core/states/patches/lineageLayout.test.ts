import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { RowGraph } from '../../../../../src/core/model/lineage.ts';
import { BUNDLE_LANE, LineageLayout, MAX_LANES } from '../../../../../src/core/states/patches/lineageLayout.ts';
import { PlainLayout } from './plainLayout.ts';

const laidOut = (parents: readonly number[]): LineageLayout => {
  const layout = new LineageLayout();
  for (const parent of parents) layout.append(parent);
  return layout;
};

const whole = (layout: LineageLayout): readonly RowGraph[] => layout.graphs(0, layout.rows);

/** Describes the first row that differs, because comparing all rows takes longer than the layout. */
const same = (actual: readonly RowGraph[], expected: readonly RowGraph[]): void => {
  const wrong = actual.findIndex((graph, index) => JSON.stringify(graph) !== JSON.stringify(expected[index]));
  assert.deepEqual([actual.length, actual[wrong]], [expected.length, expected[wrong]]);
};

/** Newest at the top, as on the page. */
const drawn = (parents: readonly number[]): readonly string[] => {
  const layout = laidOut(parents);
  const line = ({ lane, through, children, hasParent, folded }: RowGraph, row: number): string => {
    const cells = Array.from({ length: layout.lanes }, (_, at) => {
      if (at === lane) return hasParent ? '●' : '○';
      if (children.includes(at)) return through.includes(at) ? '┤' : '╯';
      return through.includes(at) ? '│' : ' ';
    });
    return `${cells.join('')} ${row}${folded > 0 ? ` +${folded}` : ''}`;
  };
  return whole(layout).map(line).toReversed();
};

/** How the next checkpoint gets its parent. `share` selects one if there are several. */
interface Step {
  readonly way: 'on' | 'near' | 'any' | 'first' | 'root';
  readonly share: number;
}

const parentOf = ({ way, share }: Step, row: number): number => {
  if (row === 0 || way === 'root') return -1;
  if (way === 'on') return row - 1;
  if (way === 'first') return 0;
  const choice = way === 'near' ? Math.min(row, 6) : row;
  return row - 1 - Math.floor(share * choice);
};

const ways = fc.constantFrom<Step['way'][]>(
  ['on', 'near', 'any', 'first', 'root'],
  ['any'],
  ['on', 'any'],
  ['near'],
  ['first', 'any'],
);

const histories = (maxLength: number): fc.Arbitrary<readonly number[]> =>
  ways
    .chain((some) =>
      fc.array(fc.record({ way: fc.constantFrom(...some), share: fc.double({ min: 0, max: 0.999, noNaN: true }) }), {
        minLength: 1,
        maxLength,
        size: 'max',
      }),
    )
    .map((steps) => steps.map(parentOf));

const SHAPES: Readonly<Record<string, (row: number) => number>> = {
  chain: (row) => row - 1,
  star: (row) => (row === 0 ? -1 : 0),
  roots: () => -1,
  comb: (row) => (row % 2 === 1 ? row - 1 : row - 2),
  pairs: (row) => (row === 0 ? -1 : (row - 1) >> 1),
  'long ways back': (row) => (row % 50 === 0 ? (row * 7919) % Math.max(1, row) : row) - (row % 50 === 0 ? 0 : 1),
};

const LARGE = 100_000;

suite('Layout of a lineage', () => {
  test('keeps a history without branches in one lane', () => {
    assert.deepEqual(drawn([-1, 0, 1]), ['● 2', '● 1', '○ 0']);
  });

  test('gives the lane of a checkpoint to the first that goes on from it, and the next lane to others', () => {
    assert.deepEqual(drawn([-1, 0, 1, 0, 3, 2]), ['●  5', '│● 4', '│● 3', '●│ 2', '●│ 1', '○╯ 0']);
  });

  test('takes a lane again after the branch in it has ended', () => {
    assert.deepEqual(drawn([-1, 0, 0, 1, 3, 3]), [' ● 5', '●│ 4', '●╯ 3', '│● 2', '●│ 1', '○╯ 0']);
  });

  test('begins another tree at the edge, where no line ends', () => {
    assert.deepEqual(drawn([-1, 0, -1, 2, 1]), [' ● 4', '●│ 3', '○│ 2', '●╯ 1', '○  0']);
  });

  test('draws lines beyond the lanes as one, with their number', () => {
    const layout = laidOut([-1, ...Array.from({ length: 60 }, () => 0), 50, 61]);
    const lanes = Array.from({ length: MAX_LANES }, (_, lane) => lane);
    assert.deepEqual(
      [0, 1, 39, 40, 50, 60, 61, 62].map((row) => layout.graph(row)),
      [
        { lane: 0, through: [], children: lanes, hasParent: false, folded: 0 },
        { lane: 0, through: lanes.slice(1), children: [], hasParent: true, folded: 20 },
        { lane: 38, through: [BUNDLE_LANE], children: [], hasParent: true, folded: 20 },
        { lane: BUNDLE_LANE, through: [BUNDLE_LANE], children: [], hasParent: true, folded: 19 },
        { lane: BUNDLE_LANE, through: [BUNDLE_LANE], children: [0], hasParent: true, folded: 9 },
        { lane: BUNDLE_LANE, through: [0], children: [], hasParent: true, folded: 0 },
        { lane: 0, through: [], children: [0], hasParent: true, folded: 0 },
        { lane: 0, through: [], children: [], hasParent: true, folded: 0 },
      ],
    );
    assert.equal(layout.lanes, MAX_LANES);
  });

  test('takes a parent that does not come before its child for none', () => {
    const layout = laidOut([0, 5, 1.5, Number.NaN, -7, 4]);
    assert.deepEqual(
      whole(layout).map(({ hasParent }) => hasParent),
      [false, false, false, false, false, true],
    );
  });

  test('has as many rows as exist', () => {
    const layout = laidOut([-1, 0, 1]);
    assert.deepEqual([layout.graphs(-5, 99).length, layout.graphs(3, 9), layout.graphs(2, 1)], [3, [], []]);
    assert.throws(() => layout.graph(3), RangeError);
    assert.throws(() => layout.graph(-1), RangeError);
    assert.deepEqual([new LineageLayout().lanes, new LineageLayout().graphs(0, 10)], [0, []]);
  });

  test('is what looking at every line each time gives', () => {
    fc.assert(
      fc.property(histories(140), (parents) => {
        const plain = new PlainLayout(parents);
        const layout = laidOut(parents);
        same(whole(layout), plain.graphs());
        assert.equal(layout.lanes, Math.max(...plain.lanes) + 1);
      }),
      { numRuns: 60 },
    );
  });

  test('has no two lines in a lane, and none that breaks off', () => {
    fc.assert(
      fc.property(histories(600), (parents) => {
        const graphs = whole(laidOut(parents));
        for (const [row, graph] of graphs.entries()) {
          const own = graph.lane === BUNDLE_LANE ? [] : [graph.lane];
          const below = [...graph.through, ...(graph.hasParent ? own : [])];
          assert.equal(new Set([...graph.through, ...own]).size, graph.through.length + own.length, 'shared');
          const next = graphs[row - 1];
          const cameUp = next === undefined ? [] : [...next.through, ...next.children];
          for (const lane of below) assert.ok(cameUp.includes(lane), `lane ${lane} breaks off below row ${row}`);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('gives for any window the rows of the whole', () => {
    fc.assert(
      fc.property(histories(1_500), fc.nat(1_500), fc.nat(300), (parents, from, count) => {
        const layout = laidOut(parents);
        same(layout.graphs(from, from + count), whole(layout).slice(from, from + count));
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  test('never moves what stands', () => {
    fc.assert(
      fc.property(histories(300), (parents) => {
        const layout = new LineageLayout();
        const lanes = parents.map((parent) => layout.graph(layout.append(parent)).lane);
        assert.deepEqual(
          whole(layout).map(({ lane }) => lane),
          lanes,
        );
      }),
      { numRuns: 100 },
    );
  });

  for (const [shape, parent] of Object.entries(SHAPES)) {
    test(`lays out a hundred thousand at once, and each window of them (${shape})`, () => {
      const layout = laidOut(Array.from({ length: LARGE }, (_, row) => parent(row)));
      const all = whole(layout);
      assert.equal(all.length, LARGE);
      for (let from = 0; from < LARGE; from += 9_973) {
        same(layout.graphs(from, from + 60), all.slice(from, from + 60));
      }
    });
  }
});
