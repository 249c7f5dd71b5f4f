import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  carryLooks,
  columnWidth,
  GRAPH,
  graphPath,
  type LineLooks,
  lanesWithin,
  looksAbove,
  PLAIN_LINES,
} from '../../../../src/webview/lineage/lineageGraph.ts';
import type { PageGraph, PageRow } from '../../../../src/webview/lineage/lineageMessages.ts';

type Drawn = Pick<PageRow, 'graph' | 'link' | 'kind' | 'isHead'>;

const row = (graph: Partial<PageGraph> | undefined, rest: Partial<Drawn> = {}): Drawn => ({
  graph:
    graph === undefined ? undefined : { lane: 0, through: [], children: [], hasParent: false, folded: 0, ...graph },
  link: 'named',
  kind: 'good',
  isHead: false,
  ...rest,
});

const lines = (drawn: Drawn, lanes = 40, above: LineLooks = PLAIN_LINES): readonly string[] =>
  graphPath(drawn, lanes, above).lines.map(({ colour, look, d }) => `${colour} ${look} ${d}`);

suite('The graph beside a row', () => {
  test('has a line from above, one downwards, and room for the node between them', () => {
    assert.deepEqual(lines(row({ children: [0], hasParent: true })), ['0 named M9 0V6.5M9 15.5V22']);
  });

  test('lets lines pass by, and bends those of children that come from other lanes', () => {
    const drawn = row({ lane: 1, through: [3], children: [0, 1, 2], hasParent: true });
    assert.deepEqual(lines(drawn), [
      '3 named M42 0V22',
      '0 named M9 0V6A5 5 0 0 0 14 11H15.5',
      '1 named M20 0V6.5M20 15.5V22',
      '2 named M31 0V6A5 5 0 0 1 26 11H24.5',
    ]);
  });

  test('draws a parent that was only assumed, and a rollback, in other lines', () => {
    assert.deepEqual(lines(row({ children: [0], hasParent: true }, { link: 'assumed' })), [
      '0 named M9 0V6.5',
      '0 assumed M9 15.5V22',
    ]);
    const above: LineLooks = new Map([
      [0, 'rollback'],
      [1, 'assumed'],
    ]);
    assert.deepEqual(lines(row({ lane: 2, through: [0], children: [1] }), 40, above), [
      '0 rollback M9 0V22',
      '1 assumed M20 0V6A5 5 0 0 0 25 11H26.5',
    ]);
  });

  test('distinguishes nodes by their shape', () => {
    const shapes = [
      row({}),
      row({}, { isHead: true }),
      row({}, { isHead: true, kind: 'pruned' }),
      row({}, { kind: 'broken' }),
      row({}, { kind: 'unknown' }),
      row({}, { kind: 'pruned' }),
    ].map((each) => graphPath(each, 40).node);
    assert.deepEqual(
      shapes.map(({ shape, d }) => [shape, d.split('M').length - 1]),
      [
        ['dot', 1],
        ['head', 3],
        ['hollowHead', 4],
        ['broken', 1],
        ['unknown', 1],
        ['pruned', 1],
      ],
    );
    assert.equal(shapes[3]?.d, 'M5.5 7.5l7 7m0-7l-7 7');
  });

  test('folds what has no room into the last lane, and says how much', () => {
    const drawn = graphPath(row({ lane: 5, through: [1, 3, 4], children: [6], folded: 2 }), 3);
    assert.deepEqual([drawn.folded, drawn.foldedAt, drawn.width], ['+4', 42, 56]);
    assert.equal(drawn.node.d.startsWith('M27 11'), true);
    assert.deepEqual(
      [graphPath(row({ through: [2] }), 3)].map(({ folded, width }) => [folded, width]),
      [['', 40]],
    );
    assert.deepEqual(
      drawn.lines.map(({ colour, d }) => [colour, d]),
      [
        [1, 'M20 0V22'],
        [2, 'M31 0V22M31 0V22M31 0V6.5'],
      ],
    );
  });

  test('has room for the folded count, and shortens thousands', () => {
    const told = [1, 99, 599, 999, 1_000, 99_999].map((folded) => graphPath(row({ folded }), 3));
    assert.deepEqual(
      told.map(({ folded, foldedAt, width }) => `${folded} ${width - foldedAt}`),
      ['+1 14', '+99 21', '+599 28', '+999 28', '+1k 21', '+99k 28'],
    );
  });

  test('is a node alone where a filter left rows out', () => {
    const { lines: drawn, width, node, folded } = graphPath(row(undefined, { kind: 'pruned' }), 9);
    assert.deepEqual([drawn, width, node.shape, folded], [[], 18, 'pruned', '']);
  });

  test('never leaves its width, whatever the lanes', () => {
    const lane = fc.integer({ min: 0, max: 39 });
    const graph = fc.record({
      lane,
      through: fc.uniqueArray(lane),
      children: fc.uniqueArray(lane),
      hasParent: fc.boolean(),
      folded: fc.nat(3),
    });
    fc.assert(
      fc.property(graph, fc.integer({ min: 1, max: 40 }), (each, lanes) => {
        const { width, lines: drawn } = graphPath(row(each), lanes);
        const column = columnWidth(width, 0, false);
        assert.ok(width <= column && column < Math.max(30, width + 22), `${width} in ${column}`);
        const starts = drawn.flatMap(({ d }) => [...d.matchAll(/M([\d.]+) /g)].map(([, x]) => Number(x)));
        for (const x of starts) assert.ok(x >= GRAPH.edge && x <= width - GRAPH.edge);
      }),
    );
  });
});

suite('Lines that are not plain', () => {
  const looks = (rows: readonly Drawn[]): readonly string[] => {
    let above = PLAIN_LINES;
    return rows.map((each) => {
      above = carryLooks(above, each);
      return [...above].map(([lane, look]) => `${lane} ${look}`).join();
    });
  };

  test('stay so until the row of the parent', () => {
    assert.deepEqual(
      looks([
        row({ lane: 1, hasParent: true }, { link: 'assumed' }),
        row({ lane: 2, through: [1], hasParent: true }, { link: 'rollback' }),
        row({ lane: 0, through: [1, 2], hasParent: true }),
        row({ lane: 1, through: [2], children: [1, 0], hasParent: true }),
        row({ lane: 0, children: [1, 2] }),
      ]),
      ['1 assumed', '1 assumed,2 rollback', '1 assumed,2 rollback', '2 rollback', ''],
    );
  });

  test('cost nothing if there are none', () => {
    assert.equal(carryLooks(PLAIN_LINES, row({ through: [1, 2], hasParent: true })), PLAIN_LINES);
    assert.equal(carryLooks(PLAIN_LINES, row({}, { link: 'assumed' })), PLAIN_LINES);
    assert.equal(carryLooks(new Map([[1, 'assumed']]), row(undefined)), PLAIN_LINES);
  });
});

suite('Lines that come from above what is seen', () => {
  const rows: readonly (Drawn | undefined)[] = [
    undefined,
    row({ lane: 3, hasParent: true }, { link: 'assumed' }),
    row({ lane: 1, through: [3], hasParent: true }, { link: 'assumed' }),
    row({ lane: 1, through: [3], children: [1], hasParent: true }),
    row({ lane: 2, through: [1, 3], hasParent: true }, { link: 'rollback' }),
    row({ lane: 0, through: [1, 3], children: [2], hasParent: true }, { link: 'assumed' }),
    row(undefined),
  ];
  const at = (position: number): Drawn | undefined => rows[position];
  const looks = (position: number): string =>
    [...looksAbove(position, at)].map(([lane, look]) => `${lane} ${look}`).join();

  test('look as at their start, not as earlier lines in their lane', () => {
    assert.deepEqual([2, 3, 4, 5].map(looks), [
      '3 assumed',
      '1 assumed,3 assumed',
      '3 assumed',
      '2 rollback,3 assumed',
    ]);
  });

  test('are plain if their start is unknown', () => {
    assert.deepEqual([0, 1, 6].map(looks), ['', '', '']);
    assert.equal(
      looksAbove(900, () => row({ lane: 1, through: [2], hasParent: true })),
      PLAIN_LINES,
    );
  });

  test('are carried on as if all were drawn', () => {
    let above = PLAIN_LINES;
    for (let position = 1; position < 6; position++) {
      const each = at(position);
      assert.ok(each);
      const known = [...(each.graph?.through ?? []), ...(each.graph?.children ?? [])];
      const carried = known.flatMap((lane) => (above.has(lane) ? [`${lane} ${above.get(lane)}`] : []));
      assert.deepEqual(looks(position).split(',').filter(Boolean).toSorted(), carried.toSorted());
      above = carryLooks(above, each);
    }
  });
});

suite('The room for lanes', () => {
  test('is a part of the width, but never nothing', () => {
    const room = [0, 170, 300, 600, 1_200].map((width) => lanesWithin(width));
    assert.deepEqual(room, [4, 4, 7, 17, 36]);
  });
});

suite('The column of the graph', () => {
  const widths = (isMoving: boolean, ...widest: readonly number[]): readonly number[] => {
    let before = 0;
    return widest.map((each) => (before = columnWidth(each, before, isMoving)));
  };

  test('is as wide as two lanes at least, and grows by two', () => {
    assert.deepEqual(widths(false, 0, 18, 29, 30, 51, 52, 90), [29, 29, 29, 51, 51, 73, 95]);
  });

  test('stays while rows move, and for two lanes less', () => {
    assert.deepEqual(widths(true, 90, 60, 18), [95, 95, 95]);
    assert.deepEqual(widths(false, 90, 60, 50, 40, 18), [95, 95, 51, 51, 51]);
  });
});
