import assert from 'node:assert/strict';
import { blockedText, LineageController } from '../../../../src/editor/lineage/lineageController.ts';
import type { FromLineagePage, ToLineagePage } from '../../../../src/webview/lineage/lineageMessages.ts';
import { AT, FakeLineages, line, node, NOTES } from './lineageFakes.ts';

const ALL = { text: '', only: 'all' } as const;
const KEY = '["notes","notes.edit"]';

/** A page that records every message as one line. */
class Page {
  readonly lineages = new FakeLineages();
  readonly log: string[] = [];
  now = AT;
  emptyText = 'Nothing yet.';
  readonly controller = new LineageController(this.lineages, {
    send: (message) => this.log.push(told(message)),
    now: () => this.now,
    emptyText: () => this.emptyText,
    failureText: (error) => `Failed: ${error instanceof Error ? error.message : ''}`,
    act: (action, place) => this.log.push(`does ${action} ${place}`),
    compare: (places) => this.log.push(`compares ${places.join()}`),
    unblock: ({ featureSet }) => this.log.push(`unblocks ${featureSet}`),
    run: (what, key) => this.log.push(`runs ${what} ${key?.featureSet}`),
  });

  async says(...messages: readonly FromLineagePage[]): Promise<readonly string[]> {
    for (const message of messages) this.controller.receive(message);
    return this.settled();
  }

  async settled(): Promise<readonly string[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.log.splice(0);
  }

  async opened(): Promise<void> {
    this.controller.setVisible(true);
    await this.says({ type: 'ready', key: '', filter: ALL });
  }
}

function told(message: ToLineagePage): string {
  switch (message.type) {
    case 'view': {
      const { view } = message;
      if (view.kind !== 'shown') return view.kind === 'loading' ? 'loading' : `${view.kind}: ${view.text}`;
      const { key, list, total, all, head, choices, blocked } = view.status;
      const names = choices.map(({ label }) => label).join(', ');
      return `view ${key} list ${list}: ${total} of ${all}, head ${head}, of ${names}${blocked === undefined ? '' : `, blocked by ${blocked.place}`}`;
    }
    case 'rows':
      return `rows of list ${message.list}: ${message.rows.map(({ position, id }) => `${position} ${id}`).join(', ')}`;
    case 'detail':
      return `detail ${message.detail?.title}: ${message.detail?.actions.join()}`;
    case 'reveal':
      return `reveals ${message.place} at ${message.position}`;
  }
}

suite('The lineage page', () => {
  const pages: Page[] = [];
  const open = (): Page => {
    const page = new Page();
    pages.push(page);
    return page;
  };
  teardown(() => {
    for (const { controller } of pages.splice(0)) {
      controller.setVisible(false);
      controller.dispose();
    }
  });

  test('gets the number of rows with the first ones, and then the requested ones', async () => {
    const page = open();
    page.lineages.set(line(100));
    page.controller.setVisible(true);
    const [loading, view, rows] = await page.says({ type: 'ready', key: '', filter: ALL });
    assert.equal(loading, 'loading');
    assert.equal(view, `view ${KEY} list 1: 100 of 100, head 0, of notes (notes.edit)`);
    assert.match(rows ?? '', /^rows of list 1: 0 chk_100, 1 chk_99, .*, 59 chk_41$/);
    assert.deepEqual(await page.says({ type: 'rows', list: 1, from: 97, count: 50 }), [
      'rows of list 1: 97 chk_3, 98 chk_2, 99 chk_1',
    ]);
    assert.deepEqual(await page.says({ type: 'rows', list: 7, from: 0, count: 5 }), []);
  });

  test('shows nothing twice, and gets a new list with what changed and with another filter', async () => {
    const page = open();
    page.lineages.set(line(2));
    await page.opened();
    page.lineages.changed.fire();
    assert.deepEqual(await page.settled(), []);
    page.lineages.set(line(3));
    assert.deepEqual(await page.settled(), [
      `view ${KEY} list 2: 3 of 3, head 0, of notes (notes.edit)`,
      'rows of list 2: 0 chk_3, 1 chk_2, 2 chk_1',
    ]);
    assert.deepEqual(await page.says({ type: 'filter', filter: { text: 'chk_2', only: 'all' } }), [
      `view ${KEY} list 3: 1 of 3, head undefined, of notes (notes.edit)`,
      'rows of list 3: 0 chk_2',
    ]);
    // Changed without an event so far: rows of the old list must not mix with the new one.
    page.lineages.version++;
    assert.deepEqual(await page.says({ type: 'rows', list: 3, from: 0, count: 5 }), [
      `view ${KEY} list 4: 1 of 3, head undefined, of notes (notes.edit)`,
      'rows of list 4: 0 chk_2',
    ]);
  });

  test('starts with a blocked lineage, else with the newest, and keeps a chosen one', async () => {
    const page = open();
    page.lineages.set(line(1), { featureSet: 'old', changedAt: 1 });
    page.lineages.set(line(1), { featureSet: 'new', changedAt: 2 });
    await page.opened();
    assert.equal(page.controller.key?.featureSet, 'new');
    await page.says({ type: 'choose', key: '["notes","old"]' });
    assert.equal(page.controller.key?.featureSet, 'old');
    // An invalid key selects nothing.
    await page.says({ type: 'choose', key: '{"a":1}' });
    assert.equal(page.controller.key?.featureSet, 'old');
    await page.lineages.forget({ server: 'notes', featureSet: 'old' });
    await page.settled();
    assert.equal(page.controller.key?.featureSet, 'new');

    const other = open();
    other.lineages.set(line(2), { featureSet: 'new', changedAt: 2 });
    other.lineages.set(line(2), { featureSet: 'hurt', changedAt: 1, blocked: line(2)[1] });
    other.controller.setVisible(true);
    const [, view] = await other.says({ type: 'ready', key: '', filter: ALL });
    assert.match(view ?? '', /"hurt"\] list 1.*, blocked by 2$/);
  });

  test('says why there is nothing, why it cannot be read, and reads it again when that is asked for', async () => {
    const page = open();
    page.controller.setVisible(true);
    assert.deepEqual(await page.says({ type: 'ready', key: '', filter: ALL }), ['loading', 'empty: Nothing yet.']);
    page.lineages.failure = new Error('The disk is full.');
    page.lineages.set(line(1));
    assert.deepEqual(await page.settled(), ['failed: Failed: The disk is full.']);
    page.lineages.failure = undefined;
    assert.deepEqual(await page.says({ type: 'retry' }), [
      'loading',
      `view ${KEY} list 1: 1 of 1, head 0, of notes (notes.edit)`,
      'rows of list 1: 0 chk_1',
    ]);
  });

  test('shows none of another lineage to who goes on before the rows are those of the chosen one', async () => {
    const page = open();
    page.lineages.set(line(2), { changedAt: 2 });
    // Its checkpoints have other row ids.
    page.lineages.set(
      line(2).map((each) => ({ ...each, place: each.place + 10 })),
      { featureSet: 'other', changedAt: 1 },
    );
    await page.opened();
    const told = await page.says({ type: 'choose', key: '["notes","other"]' }, { type: 'select', place: 1 });
    assert.deepEqual(
      told.filter((each) => each.startsWith('detail')),
      [],
    );
  });

  test('updates the next step without a lineage when a server changes', async () => {
    const page = open();
    await page.opened();
    page.emptyText = 'Call a tool.';
    page.controller.serverChanged();
    assert.deepEqual(await page.settled(), ['empty: Call a tool.']);
  });

  test('shows the selected checkpoint, and its changes', async () => {
    const page = open();
    page.lineages.set(line(2));
    await page.opened();
    assert.deepEqual(await page.says({ type: 'select', place: 1 }), [
      'detail chk_1: rollBack,continue,openState,compareWithHead,pin,name,copyId',
    ]);
    // Passing time alone is no update.
    page.now += 120_000;
    page.lineages.changed.fire();
    assert.deepEqual(await page.settled(), []);
    const [first, second] = line(2);
    assert.ok(first && second);
    page.lineages.set([{ ...first, isPinned: true, name: 'before' }, second]);
    assert.deepEqual((await page.settled()).slice(2), [
      'detail chk_1 "before": rollBack,continue,openState,compareWithHead,unpin,name,copyId',
    ]);
    page.lineages.set([second]);
    assert.equal((await page.settled()).at(-1), 'detail undefined: undefined');
  });

  test('is led to a checkpoint among very many by few questions, and to none that the filter leaves out', async () => {
    const page = open();
    page.lineages.set(line(100_000));
    await page.opened();
    page.lineages.log.length = 0;
    assert.deepEqual(await page.says({ type: 'locate', place: 12_345 }), ['reveals 12345 at 87655']);
    assert.ok(page.lineages.log.length <= 18, `${page.lineages.log.length} questions`);
    await page.controller.show(NOTES, 99_999);
    assert.deepEqual(page.log.splice(0), ['reveals 99999 at 1']);
    await page.says({ type: 'filter', filter: { text: 'chk_5', only: 'all' } });
    assert.deepEqual(await page.says({ type: 'locate', place: 12_345 }), []);
  });

  test('is led there as soon as it is ready, if it was not', async () => {
    const page = open();
    page.lineages.set(line(3));
    page.lineages.set(line(1), { featureSet: 'other' });
    page.controller.setVisible(true);
    await page.controller.show(NOTES, 1);
    assert.deepEqual(page.log.splice(0), []);
    assert.equal((await page.says({ type: 'ready', key: '["notes","other"]', filter: ALL })).at(-1), 'reveals 1 at 2');
  });

  test('forwards the user’s actions', async () => {
    const page = open();
    page.lineages.set(line(2));
    await page.opened();
    assert.deepEqual(
      await page.says(
        { type: 'act', action: 'rollBack', place: 1 },
        { type: 'compare', places: [1, 2] },
        { type: 'unblock', place: 2 },
        { type: 'export' },
        { type: 'open' },
      ),
      ['does rollBack 1', 'compares 1,2', 'unblocks notes.edit', 'runs export notes.edit', 'runs open notes.edit'],
    );
  });

  test('is updated only while it is visible, and starts again when it is visible again', async () => {
    const page = open();
    page.lineages.set(line(1));
    await page.opened();
    assert.equal(page.lineages.watchers, 1);
    page.controller.setVisible(false);
    assert.equal(page.lineages.watchers, 0);
    page.lineages.set(line(2));
    assert.deepEqual(await page.settled(), []);
    page.controller.setVisible(true);
    await page.controller.show(NOTES);
    assert.deepEqual(await page.settled(), []);
    assert.equal((await page.says({ type: 'ready', key: KEY, filter: ALL })).length, 3);
    page.controller.dispose();
    page.lineages.set(line(3));
    assert.deepEqual([await page.settled(), page.lineages.watchers], [[], 0]);
  });

  test('shows the actions for a blocked lineage', () => {
    const blocked = node('chk_c');
    assert.equal(
      blockedText({ blocked, head: node('chk_b') }),
      'The state of chk_c could not be made, so calls of this set are refused. Continue from chk_b, the last good one, or roll back.',
    );
    assert.match(blockedText({ blocked, head: undefined }), /forget the lineage to start again\.$/);
  });
});
