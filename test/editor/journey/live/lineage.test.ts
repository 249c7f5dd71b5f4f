import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JourneyEditor, openJourney } from '../journeyEditor.ts';
import { lineageOfSize, nameOfNth } from './lineageOfSize.ts';
import { LineageReader } from '../lineageReader.ts';
import { until } from '../until.ts';

const BOOK = 'state (state.book)';
const LEDGER = 'state (state.ledger)';
const LARGE = 100_000;
const SETTINGS = {
  // For the large lineage.
  'mcpl.state.maxCount': 200_000,
  'mcpl.servers': { state: { enabled: false, command: 'mcpl-demo', args: ['state'] } },
};

suite('A user who goes back to a checkpoint', () => {
  let opened: JourneyEditor | undefined;
  let reader: LineageReader | undefined;

  suiteSetup(async () => {
    opened = await openJourney({ settings: SETTINGS, trust: 'before' });
    reader = new LineageReader(opened);
    await opened.person.openContainer('MCP Live');
    await opened.page.locator('.pane-header:has-text("Lineage")').click();
    // Leaves the width to the tab.
    await opened.person.command('View: Toggle Secondary Side Bar Visibility');
  });

  suiteTeardown(async () => {
    await opened?.close();
  });

  teardown(async function () {
    if (this.currentTest !== undefined && this.currentTest.state !== 'passed')
      await journey().person.screenshot(`failed ${this.currentTest.title}`);
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  const my = (): LineageReader => {
    assert.ok(reader !== undefined);
    return reader;
  };

  const press = (...keys: readonly string[]): Promise<void> =>
    keys.reduce((before, key) => before.then(() => journey().person.press(key)), Promise.resolve());

  /** With the keyboard: moves this many rows below the newest, and opens the detail. */
  const open = async (below: number): Promise<string> => {
    await my().at('.list').focus();
    await press('Home', ...Array.from({ length: below }, () => 'ArrowDown'), 'Enter');
    const name = nameIn(await my().selected());
    await my().untilText('.detail h2', new RegExp(`^${name}`));
    return name;
  };

  /** The editor inserts break opportunities into the title. */
  const tab = async (): Promise<string> =>
    (await journey().page.locator('.tab.active').innerText()).replaceAll('\n', '');

  const names = async (): Promise<readonly string[]> => (await my().spoken()).map(nameIn);

  const start = async (): Promise<void> => {
    await journey().person.clickTreeItem('state', 'Start');
    await my().me.answer('wants to run "state"', 'Start');
    await my().me.untilRow(/^state running/);
    await my().clear();
  };

  /** Only one of the groups fits into the view. */
  const see = async (part: 'Feature Sets' | 'Tools'): Promise<void> => {
    await my().me.fold(part === 'Tools' ? 'Feature Sets' : 'Tools');
    await my().me.unfold(part);
  };

  /** A page large enough to see the lines. */
  const shotInTab = async (
    name: string,
    count: number,
    look: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> => {
    await journey().person.command('View: Close All Editors');
    await my().at('button.open').click();
    await my().untilRows('the tab', (rows) => rows.length === count, 'tab');
    await look();
    await my().shotInThemes(name);
    await journey().person.command('View: Close All Editors');
  };

  /** The detail must not push out the tools or the list, at any height. */
  const listIsInSight = async (): Promise<void> => {
    const nowhere = { y: 0, height: 0 };
    const box = async (part: string): Promise<typeof nowhere> => (await my().at(part).boundingBox()) ?? nowhere;
    const [tools, list, all] = [await box('header'), await box('.rows'), await box('main')];
    const isBelow = tools.height > 20 && list.y >= tools.y + tools.height - 1;
    assert.ok(isBelow && list.height >= 0.45 * all.height, JSON.stringify([tools, list, all]));
  };

  test('switches a feature set on, and sees a checkpoint come with each call', async () => {
    const { person } = journey();
    await my().untilText('.message', /^No checkpoint yet\. Servers with a feature set that has a state make one/);
    await start();
    await my().me.unfold('state');
    await see('Feature Sets');
    await person.clickTreeItem('book', 'checkbox');
    await my().me.untilRow(/^state running .* 1 of 2 sets on/);
    await my().untilText('.message', /^No checkpoint yet\. Call a tool of state \(state\.book\)/);
    await see('Tools');
    for (const text of ['One', 'Two', 'Three']) {
      await my().call('add_page', { text });
      await my().untilText('.result', /Checkpoint page-\w+ is kept\./, 'tab');
    }
    await my().untilRows('three checkpoints', (rows) => rows.length === 3);
    assert.deepEqual((await my().rows()).map(withoutName), ['Head add_page', 'add_page', 'add_page']);
    await see('Feature Sets');
    const [head = ''] = await names();
    await my().me.untilRow(new RegExp(`^ +Checkpoints 3 · ${head}$`));
    await my().me.row('Checkpoints').click();
    await shotInTab('01 three checkpoints', 3);
  });

  test('selects one by the keyboard, reads what made it, and opens its state', async () => {
    const { page } = journey();
    const name = await open(1);
    const detail = await my().at('.detail').innerText();
    for (const expected of [
      'Made by\nadd_page',
      'Arguments\n{"text":"Two"}',
      'State kept by\nMCP Live',
      '"path": "/pages/-"',
    ])
      assert.ok(detail.includes(expected), detail);
    await listIsInSight();
    assert.deepEqual(await my().attributes(), {
      role: 'treeitem',
      'aria-selected': 'true',
      'aria-posinset': '2',
      'aria-setsize': '3',
      isActive: 'true',
    });
    await my().at('.detail button:has-text("Open State")').click();
    await page.locator('.editor-instance .view-lines:has-text("Two")').waitFor();
    assert.match(await tab(), new RegExp(`^${name} \\(state\\.book\\)\\.json`));
    await my().shot('02 the state at a checkpoint');
  });

  test('marks two, and compares their states', async () => {
    const { page } = journey();
    await my().at('.list').focus();
    await press('Escape', 'Home', ' ', 'End', ' ');
    await my().untilText('.said', /is marked, the second one\. Press Shift\+Enter to compare them\./);
    const [newest = '', , oldest = ''] = await names();
    await press('Shift+Enter');
    await page.locator('.monaco-diff-editor .view-lines:has-text("Three")').first().waitFor();
    assert.match(await tab(), new RegExp(`^${oldest} ↔ ${newest} \\(state\\.book\\)`));
    await my().shot('03 two states compared');
    await my().at('.list').focus();
    await press('Escape');
  });

  test('rolls back to one after reading what will not be undone, and the next call makes a branch', async () => {
    const { person } = journey();
    const target = await open(2);
    const before = await my().rows();
    await my().rollBack();
    const asked = await my().modalText();
    for (const expected of [
      `Roll ${BOOK} back to ${target}?`,
      '2 checkpoints are left',
      'What is undone:',
      'What is not undone:',
      'The server may refuse. Then nothing moves.',
    ])
      assert.ok(asked.includes(expected), asked);
    await my().shot('04 may it be rolled back');
    // Cancelling moves nothing.
    await person.press('Escape');
    await my().modal().waitFor({ state: 'hidden' });
    assert.deepEqual(await my().rows(), before);
    await my().rollBack();
    await my().answer('Roll Back');
    await my().told(`${BOOK} is back at ${target}. The next checkpoint starts a new branch.`);
    await my().untilRows('the head to move', (rows) => rows[2]?.includes('Head') === true);
    await my().clear();
    await see('Tools');
    await my().call('list_pages', {});
    await my().untilText('.result', /^1: One$/m, 'tab');
    await my().call('add_page', { text: 'Another' });
    await my().untilRows('a branch', (rows) => rows.length === 4);
    assert.deepEqual(
      (await my().spoken()).map((row) => [/, head,/.test(row), /on another branch/.test(row)]),
      [
        [true, false],
        [false, true],
        [false, true],
        [false, false],
      ],
    );
    assert.deepEqual(await my().lanes(), ['lane-1', 'lane-0', 'lane-0', 'lane-0']);
    assert.deepEqual(await my().at('.row:has(.counted[title="Rolled back to"]) .label').allInnerTexts(), [target]);
    await shotInTab('05 a branch', 4);
  });

  test('learns of a patch that does not fit, finds the next call refused, and continues from the last good one', async () => {
    await my().call('edit_page', { page: '1', text: 'Uno', wrongPatch: true });
    const toast = await my().told(`${BOOK}: the state that edit_page returned could not be made`);
    assert.match(toast, /there is nothing at that place\. Its next call is refused until you continue/);
    const [broken = '', good = ''] = await names();
    await my().untilText('.banner', new RegExp(`^The state of ${broken} could not be made, so calls of this set are`));
    await my().shot('06 a patch that does not fit');
    await my().clear();
    await my().call('add_page', { text: 'Not to be' });
    await my().untilText(
      '.result',
      new RegExp(`was not called: the state of "state.book" after .* ${broken} is not`),
      'tab',
    );
    await see('Feature Sets');
    await my().me.untilRow(new RegExp(`^ +Checkpoints needs you · 5 · ${good}$`));
    await my().at('.banner button:has-text("Show")').first().click();
    await my().untilText('.detail .problem', /Operation 1 \(replace "\/chapters\/0\/text"\) does not fit/);
    await my().shotInThemes('07 a call that was refused');
    await my().at('.banner button:has-text("Continue from Last Good")').click();
    await my().told(`${BOOK} goes on from ${good}. Nothing is undone.`);
    await my().at('.banner').waitFor({ state: 'hidden' });
    await my().clear();
    await see('Tools');
    await my().call('list_pages', {});
    await my().untilText('.result', /^1: One\n2: Another$/m, 'tab');
  });

  test('sees why a server that keeps its state itself does not go back', async () => {
    const { person } = journey();
    await see('Feature Sets');
    await person.clickTreeItem('ledger', 'checkbox');
    await my().me.untilRow(/^state running .* 2 of 2 sets on/);
    await see('Tools');
    await my().call('add_entry', { text: 'Tea', amount: '1' });
    await my().untilText('.result', /The balance is 1\./, 'tab');
    for (const [amount, balance] of [
      ['2', 3],
      ['3', 6],
      ['4', 10],
      ['5', 15],
    ] as const) {
      await my().me.again({ amount });
      await my().untilText('.result', new RegExp(`The balance is ${balance}\\.`), 'tab');
    }
    await my().call('send_ledger', {});
    await my().untilText('.result', /There is no way back behind this/, 'tab');
    await my().call('add_entry', { text: 'Cake', amount: '6' });
    await my().choose(LEDGER);
    await my().untilRows('the ledger', (rows) => rows.length === 7);
    const target = await open(2);
    await my().rollBack();
    assert.match(await my().modalText(), /these tools may have had such effects: send_ledger\./);
    await my().answer('Roll Back');
    const refused = await my().told(`${LEDGER} could not go back to ${target}`);
    assert.match(refused, /"The ledger was sent at ledger-\w+, which cannot be undone"\. Nothing moved\./);
    await my().untilText('.detail', /refused: The ledger was sent at/);
    await my().shot('08 what cannot be undone');
    await my().clear();
    const oldest = await open(6);
    await my().rollBack();
    await my().answer('Roll Back');
    await my().told(`${LEDGER} no longer has ${oldest}, and cannot go back to it. Nothing moved.`);
    await my().untilText('.detail .problem', /^Its server no longer has it/);
    assert.match((await my().spoken())[6] ?? '', /pruned: its server no longer has it/);
    assert.match((await my().spoken())[0] ?? '', /, head,/);
    await my().clear();
    await shotInTab('09 what the server no longer has', 7, async () => {
      await my().at('.list', 'tab').focus();
      await press('End', 'Enter');
      await my().untilText('.detail .problem', /^Its server no longer has it/, 'tab');
    });
  });

  test('opens it as an editor, and finds it again with its search after a reload', async () => {
    const { page, person, reload } = journey();
    await person.command('View: Close All Editors');
    await my().at('button.open').click();
    await my().untilRows('the tab', (rows) => rows.length === 7, 'tab');
    await my().at('#search', 'tab').fill('send');
    await my().untilRows('what was searched for', (rows) => rows.length === 1, 'tab');
    const [found] = await my().spoken('tab');
    await reload();
    await page.locator(`.tab:has-text("Lineage of ${LEDGER}")`).waitFor();
    await my().untilRows('the same again', (rows) => rows.length === 1, 'tab');
    assert.deepEqual(await my().spoken('tab'), [found]);
    assert.equal(await my().at('#search', 'tab').inputValue(), 'send');
    await my().shot('10 after a reload');
  });

  test('reads why nothing can go back while the server does not run', async () => {
    await my().choose(BOOK);
    await my().untilRows('the book', (rows) => rows[0]?.startsWith('page-') === true);
    const target = await open(1);
    await my().rollBack();
    const asked = await my().modalText();
    assert.ok(asked.includes(`The server cannot be asked to go back to ${target}.`), asked);
    assert.ok(asked.includes('The server "state" is not running. Start it, then try again.'), asked);
    await my().shot('11 the server does not run');
    await my().answer('Cancel');
    // It was allowed earlier.
    await journey().person.clickTreeItem('state', 'Start');
    await my().me.untilRow(/^state running/);
  });

  const importSize = async (count: number): Promise<number> => {
    const file = join(journey().workspace, `${count}.jsonl`);
    await writeFile(file, lineageOfSize(count, Date.now()));
    await journey().person.command('MCP Live: Forget Lineage…', BOOK);
    assert.match(await my().modalText(), /Their states are removed for good/);
    await my().answer('Forget');
    await my().importFile(file, BOOK);
    const begun = Date.now();
    await until(`${count} to be imported`, journey(), async () => my().me.toast('Added').isVisible(), 300);
    assert.match(await my().told('Added'), new RegExp(`Added ${count.toLocaleString('en')} checkpoints to`));
    const took = Date.now() - begun;
    await my().clear();
    await my().choose(BOOK, 'tab');
    await my().choose(BOOK);
    await my().untilRows('the newest', (rows) => rows[0]?.startsWith(nameOfNth(count - 1)) === true, 'tab');
    return took;
  };

  test('imports a lineage of 300, and looks around in it', async () => {
    await my().at('#search', 'tab').fill('');
    await importSize(300);
    await my().at('.list', 'tab').focus();
    await press('PageDown', 'PageDown', 'Enter');
    await my().untilText('.detail h2', /^page-/, 'tab');
    await my().shotInThemes('12 three hundred checkpoints');
    await my().at('#only', 'tab').selectOption({ label: 'Problems' });
    await my().untilRows(
      'the broken one',
      (rows) => rows.length === 1 && rows[0]?.startsWith(nameOfNth(100)) === true,
      'tab',
    );
    await my().at('#only', 'tab').selectOption({ label: 'Pinned and named' });
    await my().untilRows(
      'chapters',
      (rows) => rows.join() === 'chapter 3 edit_page,chapter 2 edit_page,chapter 1 edit_page',
      'tab',
    );
    await my().shot('13 what is pinned and named');
    await my().at('#only', 'tab').selectOption({ label: 'All' });
    await my().untilRows('all again', (rows) => rows.length > 3, 'tab');
  });

  test('imports a lineage of 100,000, and goes to its ends and to what it searches for by the keyboard', async () => {
    const { person } = journey();
    const took = await importSize(LARGE);
    assert.ok(took < 60_000, `${took} ms`);
    await my().at('.list', 'tab').focus();
    await press('End');
    await my().untilSelected(new RegExp(`^${nameOfNth(0)},`), 'tab');
    assert.deepEqual(await my().attributes('tab'), {
      role: 'treeitem',
      'aria-selected': 'true',
      'aria-posinset': '100000',
      'aria-setsize': '100000',
      isActive: 'true',
    });
    await my().shot('14 the oldest of very many');
    await press('Home');
    await my().untilSelected(new RegExp(`^${nameOfNth(LARGE - 1)}, head,`), 'tab');
    await press('Enter');
    await my().untilText('.detail h2', new RegExp(`^${nameOfNth(LARGE - 1)}`), 'tab');
    await my().shotInThemes('15 very many checkpoints');
    await my().at('.list', 'tab').focus();
    await press('Escape');
    await person.type('draft 4242 ');
    await my().untilRows('what was searched for', (rows) => rows.length === 1, 'tab');
    assert.equal(await my().at('.count', 'tab').innerText(), '1 of 100,000');
    await press('Enter', 'ArrowDown');
    await my().untilSelected(new RegExp(`^${nameOfNth(4_242)},`), 'tab');
    // The found row is shown at its position.
    await press('Escape');
    await my().untilRows('what is around it', (rows) => rows.length > 3, 'tab');
    await my().untilSelected(new RegExp(`^${nameOfNth(4_242)},`), 'tab');
    await my().shot('16 what was found in its place');
  });
});

function nameIn(spoken: string): string {
  return spoken.split(',')[0] ?? '';
}

function withoutName(row: string): string {
  return row.slice(row.indexOf(' ') + 1);
}
