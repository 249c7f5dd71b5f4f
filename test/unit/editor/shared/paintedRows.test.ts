import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/index.ts';
import { PaintedRows } from '../../../../src/editor/shared/paintedRows.ts';
import type { ViewRow } from '../../../../src/editor/shared/viewRow.ts';

interface Row extends ViewRow {
  readonly children: readonly Row[];
}

function row(id: string, description = '', children: readonly Row[] = []): Row {
  const plain = { label: id, tooltip: '', spoken: id, icon: { name: 'file' }, context: 'row' };
  return { id, description, ...plain, expansion: children.length === 0 ? 'none' : 'expanded', children };
}

/** The rows that are repainted, by name, when these rows replace those. */
async function asked(painted: PaintedRows<Row>, after: readonly Row[], isVisible = true): Promise<readonly string[]> {
  const names: string[] = [];
  await painted.repaint(
    isVisible,
    async () => after,
    (each) => names.push(each?.id ?? 'all'),
  );
  return names;
}

async function shows(...roots: readonly Row[]): Promise<PaintedRows<Row>> {
  const painted = new PaintedRows<Row>();
  await painted.hand(async () => roots);
  return painted;
}

suite('What a view paints again', () => {
  test('is nothing, where all rows show what they showed', async () => {
    assert.deepEqual(
      await asked(await shows(row('a'), row('b', '', [row('c')])), [row('a'), row('b', '', [row('c')])]),
      [],
    );
  });

  test('is the row that shows something else, or has below it one that does', async () => {
    const painted = await shows(row('a'), row('b', 'old'), row('c', '', [row('d')]), row('e', '', [row('f')]));
    const after = [row('a'), row('b', 'new'), row('c', '', [row('d', 'new')]), row('e', '', [row('f')])];
    assert.deepEqual(await asked(painted, after), ['b', 'c']);
    assert.deepEqual(await asked(painted, after), []);
  });

  test('is everything, where a row at the top has come, gone or moved', async () => {
    const afterAB = async (...after: readonly Row[]) => asked(await shows(row('a'), row('b')), after);
    assert.deepEqual(await afterAB(row('a')), ['all']);
    assert.deepEqual(await afterAB(row('a'), row('b'), row('c')), ['all']);
    assert.deepEqual(await afterAB(row('b'), row('a')), ['all']);
    assert.deepEqual(await asked(await shows(), []), []);
  });

  test('is everything only once until the editor reads the rows, because a second repaint swallows clicks', async () => {
    const painted = await shows(row('a'));
    const after = [row('a'), row('b')];
    assert.deepEqual(await asked(painted, after), ['all']);
    assert.deepEqual(await asked(painted, after), []);
    await painted.hand(async () => after);
    assert.deepEqual(await asked(painted, after), []);
    assert.deepEqual(await asked(painted, [row('a')]), ['all']);
  });

  test('is compared with the rows that the editor is reading, once it has them', async () => {
    const painted = await shows(row('a'));
    assert.deepEqual(await asked(painted, [row('b')]), ['all']);
    const read = new Deferred<readonly Row[]>();
    const reading = painted.hand(async () => read.promise);
    const same = asked(painted, [row('b')]);
    const changed = asked(painted, [row('b', 'new')]);
    read.resolve([row('b')]);
    assert.deepEqual([await reading, await same, await changed], [[row('b')], [], ['b']]);
  });

  test('is everything again after the editor failed to read it, and after the view was hidden', async () => {
    const painted = await shows(row('a'));
    const after = [row('a'), row('b')];
    assert.deepEqual(await asked(painted, after), ['all']);
    await assert.rejects(painted.hand(async () => Promise.reject(new Error('the disk is gone'))));
    assert.deepEqual(await asked(painted, after), ['all']);
    painted.forgetRequest();
    assert.deepEqual(await asked(painted, after), ['all']);
  });

  test('is asked for by the row that the editor was given, which stands for what it has become', async () => {
    const known = row('a', 'old', [row('b')]);
    const painted = await shows(known);
    const rows: (Row | undefined)[] = [];
    await painted.repaint(
      true,
      async () => [row('a', 'new', [row('c')])],
      (each) => rows.push(each),
    );
    assert.equal(rows[0], known);
    assert.deepEqual(painted.current(known), row('a', 'new', [row('c')]));
    const below = row('c');
    assert.equal(painted.current(below), below);
  });

  test('is everything where the view is hidden, which reads nothing, and where the rows cannot be read', async () => {
    const painted = await shows(row('a'));
    assert.deepEqual(await asked(painted, [row('a')], false), ['all']);
    const names: string[] = [];
    await painted.repaint(
      true,
      async () => Promise.reject(new Error('the disk is gone')),
      (each) => names.push(each?.id ?? 'all'),
    );
    assert.deepEqual(names, ['all']);
  });

  test('is always a row of which the parts are made when they are opened, and none of them is made for it', async () => {
    let made = 0;
    const part = (): Row => ({
      ...row('1 - 500'),
      get children() {
        made++;
        return [];
      },
    });
    assert.deepEqual(await asked(await shows(row('many', '', [part()])), [row('many', '', [part()])]), ['many']);
    assert.equal(made, 0);
  });
});
