import assert from 'node:assert/strict';
import { seededRandom } from '../../bench/schedule.ts';
import { HISTORIES, parentsOf } from '../../bench/lineageHistories.ts';
import { StubEditor } from '../../bench/lineageStub.ts';

const ALL = { text: '', only: 'all' } as const;

suite('The stub editor for measuring the lineage page', () => {
  test('has the number of checkpoints, and requested rows, newest first', () => {
    const editor = new StubEditor(500);
    const [view, first] = editor.answer({ type: 'ready', key: '', filter: ALL });
    assert.ok(view?.type === 'view' && view.view.kind === 'shown' && first?.type === 'rows');
    assert.deepEqual([first.rows.length, first.rows[0]?.position], [60, 0]);
    assert.deepEqual([view.view.status.total, view.view.status.head], [500, 0]);
    const [rows] = editor.answer({ type: 'rows', list: view.view.status.list, from: 498, count: 60 });
    assert.ok(rows?.type === 'rows');
    assert.deepEqual(
      rows.rows.map(({ position, place, id, graph }) => [position, place, id, graph?.hasParent]),
      [
        [498, 2, 'chk_00002', true],
        [499, 1, 'chk_00001', false],
      ],
    );
  });

  test('has a newer list after each checkpoint, which is the head, and no rows of an older one', () => {
    const editor = new StubEditor(10);
    const [message] = editor.append();
    assert.ok(message?.type === 'view' && message.view.kind === 'shown');
    const { list, total } = message.view.status;
    assert.deepEqual([list, total, editor.newest], [2, 11, 'chk_0000b']);
    assert.deepEqual(editor.answer({ type: 'rows', list: 1, from: 0, count: 5 }), []);
    const [head, next] = editor.rows(0, 2);
    assert.deepEqual([head?.id, head?.isHead, head?.isOnLine, next?.isHead], ['chk_0000b', true, true, false]);
  });

  test('makes the same history each time, in which no checkpoint comes before its parent', () => {
    for (const history of Object.values(HISTORIES)) {
      const parents = parentsOf(history, 1_000, seededRandom(1));
      assert.deepEqual(parents, parentsOf(history, 1_000, seededRandom(1)));
      assert.deepEqual(
        parents.map((parent, row) => (row === 0 ? parent === -1 : parent >= 0 && parent < row)).filter((fits) => !fits),
        [],
      );
    }
  });
});
