import assert from 'node:assert/strict';
import type { PageRow } from '../../../../src/webview/lineage/lineageMessages.ts';
import { LineageRows } from '../../../../src/webview/lineage/rowList.ts';

const row = (position: number, place: number): PageRow => ({
  position,
  place,
  id: `chk_${place}`,
  name: '',
  kind: 'good',
  tool: 'edit',
  args: '',
  time: '',
  size: '',
  isHead: false,
  isOnLine: true,
  isPinned: false,
  conversations: 0,
  rollbacks: 0,
  link: 'named',
  graph: undefined,
  spoken: '',
});

/** Newest first: position 0 of `total` has the greatest row id. */
const page = (total: number, from: number, to: number): readonly PageRow[] =>
  Array.from({ length: to - from }, (_, index) => row(from + index, total - from - index));

const places = (rows: LineageRows, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => rows.at(from + index)?.place ?? '-').join(' ');

suite('The rows that the page has', () => {
  test('are asked for in windows, each of them once', () => {
    const rows = new LineageRows();
    rows.renew(1, 250, undefined);
    assert.deepEqual(rows.wanted({ from: 90, to: 205 }), [{ from: 50, to: 250 }]);
    assert.deepEqual(rows.wanted({ from: 90, to: 205 }), []);
    rows.add(1, page(250, 50, 150));
    assert.deepEqual(rows.wanted({ from: 0, to: 250 }), [{ from: 0, to: 50 }]);
    rows.add(1, page(250, 150, 250));
    assert.deepEqual(rows.wanted({ from: 0, to: 250 }), []);
  });

  test('are asked for without those that are here already', () => {
    const rows = new LineageRows();
    rows.renew(1, 250, undefined);
    rows.wanted({ from: 60, to: 90 });
    rows.add(1, page(250, 50, 100));
    assert.deepEqual(rows.wanted({ from: 0, to: 200 }), [
      { from: 0, to: 50 },
      { from: 100, to: 200 },
    ]);
  });

  test('that were left out of an answer are asked for again, unless it had none', () => {
    const rows = new LineageRows();
    rows.renew(1, 100, undefined);
    rows.wanted({ from: 0, to: 10 });
    rows.add(1, page(100, 0, 30));
    assert.deepEqual(rows.wanted({ from: 0, to: 10 }), [{ from: 30, to: 50 }]);
    rows.add(1, []);
    assert.deepEqual(rows.wanted({ from: 0, to: 10 }), []);
  });

  test('of an earlier list are not mixed with those of this one', () => {
    const rows = new LineageRows();
    rows.renew(1, 3, undefined);
    rows.renew(2, 3, undefined);
    rows.add(1, page(3, 0, 3));
    assert.equal(places(rows, 0, 3), '- - -');
    assert.equal(rows.hasCome, false);
  });

  test('stay to be seen, moved by what came in above, until the new ones are here', () => {
    const rows = new LineageRows();
    rows.renew(1, 5, undefined);
    rows.add(1, page(5, 0, 5));
    rows.renew(2, 7, 2);
    assert.equal(places(rows, 0, 7), '- - 5 4 3 2 1');
    assert.equal(rows.positionOf(4), 3);
    assert.deepEqual(rows.wanted({ from: 0, to: 7 }), [{ from: 0, to: 7 }]);
    assert.deepEqual(rows.add(2, page(7, 0, 7)), { by: 0 });
    assert.equal(places(rows, 0, 7), '7 6 5 4 3 2 1');
  });

  test('report how far they moved unnoticed', () => {
    const rows = new LineageRows();
    rows.renew(1, 5, undefined);
    rows.add(1, page(5, 0, 5));
    // Three new rows above and three removed rows below: the number stays the same.
    rows.renew(2, 5, 0);
    assert.deepEqual(rows.add(2, page(8, 0, 4)), { by: 3 });
    assert.equal(places(rows, 0, 5), '8 7 6 5 4');
    // Reported only once.
    assert.equal(rows.add(2, page(8, 4, 5)), undefined);
  });

  test('of a filter without matches need no wait', () => {
    const rows = new LineageRows();
    rows.renew(1, 5, undefined);
    rows.add(1, page(5, 0, 5));
    rows.renew(2, 0, undefined);
    assert.deepEqual([rows.hasCome, places(rows, 0, 5), rows.wanted({ from: 0, to: 0 })], [true, '- - - - -', []]);
  });

  test('are forgotten far from what is seen, and asked for again there', () => {
    const rows = new LineageRows();
    rows.renew(1, 100_000, undefined);
    for (let from = 0; from < 100_000; from += 50) {
      const seen = { from, to: from + 40 };
      for (const { from: first, to } of rows.wanted(seen)) rows.add(1, page(100_000, first, to));
      rows.forget(seen);
    }
    const kept = Array.from({ length: 100_000 }, (_, position) => rows.at(position)).filter((each) => each).length;
    assert.ok(kept <= 3_100, `${kept} rows are kept`);
    assert.equal(rows.at(99_950)?.place, 50);
    assert.deepEqual(rows.wanted({ from: 20, to: 60 }), [{ from: 0, to: 100 }]);
  });

  test('do not pile up while the list changes again and again', () => {
    const rows = new LineageRows();
    let total = 50_000;
    rows.renew(0, total, undefined);
    for (let list = 1; list < 300; list++) {
      const at = (list * 400) % 40_000;
      rows.add(list - 1, page(total, at, at + 400));
      rows.renew(list, ++total, 1);
    }
    const kept = Array.from({ length: total }, (_, position) => rows.at(position)).filter((each) => each).length;
    assert.ok(kept <= 3_000, `${kept} rows are kept`);
  });
});
