import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '../../harness/paths.ts';
import { Approver } from './approver.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

const SETTINGS = '.vscode/settings.json';
const SAMPLE = inProject('test/sample/workspace');
const DENIED = /was not called: the person's settings deny its target\./;

/** In addition to the sample's servers: a second one with the same feature set, and one without MCPL. */
const MORE_SERVERS = {
  papers: {
    enabled: false,
    featureSets: { enabled: ['files.edit'] },
    command: 'mcpl-demo',
    args: ['files'],
  },
  library: {
    enabled: false,
    scopes: { '*': { whitelist: ['${workspaceFolder}/notes/**'], blacklist: ['**/.env'] } },
    command: process.execPath,
    args: [inProject('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'), '${workspaceFolder}'],
  },
};

const sampleFiles = async (): Promise<Readonly<Record<string, string>>> => {
  const files: Record<string, string> = {};
  for (const path of globSync(['**/*.md', '**/*.txt', '.env', SETTINGS], { cwd: SAMPLE }))
    files[path] = await readFile(join(SAMPLE, path), 'utf8');
  const more = JSON.stringify(MORE_SERVERS, undefined, 2).slice(1, -1);
  return { ...files, [SETTINGS]: (files[SETTINGS] ?? '').replace('"everything": {', `${more},\n    "everything": {`) };
};

suite('A user who decides what servers may touch', () => {
  let opened: JourneyEditor | undefined;
  /** A folder outside the workspace, instead of `/etc`. */
  let outside = '';

  suiteSetup(async () => {
    outside = await realpath(await mkdtemp(join(tmpdir(), 'mcpl-outside-')));
    opened = await openJourney({ files: await sampleFiles(), trust: 'before' });
    await symlink(outside, join(opened.workspace, 'notes/elsewhere'));
    await opened.person.openContainer('MCP Live');
    const { page } = opened;
    await page.locator('.pane-header:has-text("Approvals")').click();
    // Gives the view more height, for the rows of its history.
    const header = await page.locator('.pane-header:has-text("Events")').boundingBox();
    assert.ok(header !== null);
    await page.mouse.move(header.x + 100, header.y);
    await page.mouse.down();
    await page.mouse.move(header.x + 100, header.y - 120, { steps: 5 });
    await page.mouse.up();
  });

  suiteTeardown(async () => {
    await opened?.close();
    await rm(outside, { recursive: true, force: true });
  });

  teardown(async function () {
    if (this.currentTest !== undefined && this.currentTest.state !== 'passed')
      await journey().person.screenshot(`failed ${this.currentTest.title}`);
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  let approver: Approver | undefined;
  const me = (): Approver => (approver ??= new Approver(journey()));

  const text = (path: string): Promise<string> => readFile(join(journey().workspace, path), 'utf8');

  /** Starts the server. Returns the prompt's text about the workspace's grants. */
  const start = async (server: string): Promise<string> => {
    const { person } = journey();
    const question = `wants to run "${server}"`;
    await person.clickTreeItem(server, 'Start');
    const said = await me().toast(question).innerText();
    await me().shot(`00 may ${server} start`);
    await me().answer(question, 'Start');
    await me().untilRow(new RegExp(`^${server} running`));
    return said;
  };

  const changeSettings = async (from: string, to: string): Promise<void> => {
    const settings = await text(SETTINGS);
    assert.ok(settings.includes(from), from);
    await journey().writeFile(SETTINGS, settings.replace(from, to));
  };

  test('reads before the start what the workspace allows a server, and finds its lists in the tree', async () => {
    const { person } = journey();
    const said = await start('files');
    for (const part of [
      'Without asking, it may touch in the workspace: "${workspaceFolder}/notes/**".',
      'Calls of these tools never need an approval: "request_access".',
    ])
      assert.ok(said.includes(part), said);
    await me().unfold('files', 'Feature Sets');
    await person.clickTreeItem('files.edit', 'checkbox');
    await me().untilRow(/^files running .* 1 of 1 sets on/);
    await me().fold('Feature Sets');
    await me().unfold('files', 'Scopes', 'files.edit');
    await me().untilRow(/^ +\*\*\/secrets\/\*\* denied$/);
    await person.command('Notifications: Clear All Notifications');
    await me().shot('02 the lists of a server');
    assert.deepEqual(await me().spoken(/(allowed|denied) to|^Tool .*touches|targets at/), [
      '${workspaceFolder}/notes/**, allowed to files.edit',
      '**/.env, denied to files.edit',
      '**/secrets/**, denied to files.edit',
      'Tool append_line, targets at $.path',
      'Tool move_file, targets at $.from, $.to',
      'Tool request_access, touches nothing',
    ]);
    await me().fold('Scopes');
  });

  test('is asked nothing where a list speaks, however the path is written', async () => {
    const { person } = journey();
    await me().seeTools('files');
    await me().call('append_line', { path: 'notes/../notes/./shopping.md', line: '- Bread', showScope: true });
    // The approved scope is sent with the call.
    await me().result(
      /Scope of this call: \{"label":"[^"]*\/notes\/shopping\.md","payload":\{"path":"[^"]*\/notes\/shopping\.md"\}\}/,
    );
    assert.match(await text('notes/shopping.md'), /\n- Bread\n$/);
    await me().shot('03 the scope of a call');
    for (const path of [
      '.env',
      'notes/../.ENV',
      'notes/./secrets/door.txt',
      'notes/x/../SECRETS/k',
      '.cfg/secrets/k',
    ]) {
      await me().call('append_line', { path, line: 'x' });
      await me().result(DENIED);
      await me().isNotAsked();
    }
    await me().call('move_file', { from: 'notes/shopping.md', to: 'notes/secrets/list.md' });
    await me().result(DENIED);
    await me().isNotAsked();
    await me().call('request_access', { path: 'notes/%73ecrets/door.txt' });
    await me().result(/The host refused: "The settings of the host deny it\."/);
    assert.equal(await text('.env'), await readFile(join(SAMPLE, '.env'), 'utf8'));
    await me().unfold('History');
    await me().untilRow(/^ {2}append_line notes\/shopping\.md: allowed/);
    await until('a row for each denial', journey(), async () => {
      const rows = await person.treeRows();
      return rows.filter((row) => row.includes('denied by the settings')).length === 7;
    });
    await me().shot('04 what the lists decided');
    await me().fold('History');
  });

  test('allows a file outside the workspace once, and is asked again the next time', async () => {
    const path = join(outside, 'hosts');
    const asked = `files (files.edit) wants to call append_line on ${path}, outside this workspace.`;
    await me().call('append_line', { path, line: 'first' });
    await me().toast(asked).waitFor();
    await until('a badge', journey(), async () => (await me().badge()) === '1');
    await me().shot('05 a question');
    assert.deepEqual(await me().toast(asked).locator('.monaco-button').allInnerTexts(), [
      'Allow Once',
      'Session',
      'Always',
      'Deny',
    ]);
    assert.deepEqual(await journey().person.cutButtons('Verdana, "DejaVu Sans", sans-serif'), []);
    assert.deepEqual(
      (await me().spoken(/^Waiting/)).map((row) => row.replace(/\d\d:\d\d:\d\d/, '…')),
      [`Waiting for your answer: ${asked} Asked just now. Expires at … (then denied).`],
    );
    await me().answer(asked, 'Allow Once');
    await me().result(/Appended a line to/);
    await me().again({ line: 'second' });
    await me().toast(asked).waitFor();
    assert.equal(await readFile(path, 'utf8'), 'first\n');
  });

  test('allows it for the session by the keyboard alone, and is not asked again', async () => {
    const { person } = journey();
    await person.command('Notifications: Focus Notification Toast');
    assert.match(
      await me().focused(),
      /^Warning: files \(files\.edit\) wants to call append_line on .*, notification$/,
    );
    await me().pressTo('Tab', /^Session$/);
    await person.press('Enter');
    await me().untilRow(/^Remembered 1$/);
    await me().result(/Appended a line to/);
    await me().again({ line: 'third' });
    await until('the third line', journey(), async () =>
      (await readFile(join(outside, 'hosts'), 'utf8')).endsWith('second\nthird\n'),
    );
    await me().isNotAsked();
  });

  test('answers from the command palette as well, without a mouse', async () => {
    const { person } = journey();
    await me().again({ path: join(outside, 'fstab'), line: 'first' });
    await me().toast('/fstab, outside this workspace.').waitFor();
    await me().commandByKeys('MCP Live: Answer Approval…');
    await me().pickByKeys('/fstab');
    await person.waitFor('.quick-input-widget .quick-input-title:has-text("wants to call append_line on")');
    await me().shot('06 the answers in the palette');
    await me().pickByKeys('Allow for This Session');
    await me().untilRow(/^Remembered 2$/);
    await me().again({ line: 'second' });
    await until('the second line', journey(), async () =>
      (await readFile(join(outside, 'fstab'), 'utf8').catch(() => '')).endsWith('first\nsecond\n'),
    );
    await person.command('Notifications: Clear All Notifications');
    await me().isNotAsked();
  });

  test('denies by closing the notification, while to hide it leaves the request waiting', async () => {
    const { person } = journey();
    // For the next test, which starts after the editor has read it.
    await changeSettings('"mcpl.servers"', '"mcpl.approvals.timeoutSeconds": 5,\n  "mcpl.servers"');
    await me().again({ path: join(outside, 'group') });
    const asked = me().toast('/group, outside this workspace.');
    await asked.waitFor();
    await person.command('Notifications: Focus Notification Toast');
    await person.press('Escape');
    await asked.waitFor({ state: 'hidden' });
    assert.equal((await me().spoken(/^Waiting for your answer: .*\/group/)).length, 1);
    await person.command('Notifications: Show Notifications');
    await person.press('Delete');
    await me().result(/was not called: the person closed the question\./);
    await me().untilNoRow(/^Call append_line/);
  });

  test('denies by not answering in time', async () => {
    const { person } = journey();
    await me().again({ path: join(outside, 'passwd') });
    await me().toast('/passwd, outside this workspace.').waitFor();
    await until('a badge', journey(), async () => (await me().badge()) === '1');
    await me().result(/^Failed after [56]\.\d s\s+.* was not called: it was not approved in time\./);
    await until('no badge', journey(), async () => (await me().badge()) === '');
    await me().shot('07 too late');
    await person.command('Notifications: Clear All Notifications');
    await me().isNotAsked();
    assert.deepEqual(globSync('*', { cwd: outside }).sort(), ['fstab', 'hosts']);
    await changeSettings('"mcpl.approvals.timeoutSeconds": 5,\n  ', '');
  });

  test('sees both names where a server calls a file by another, and where a link really leads', async () => {
    await me().call('request_access', { path: 'drafts/letter.md', label: 'notes/shopping.md' });
    const both = me().toast('files (files.edit) wants to read drafts/letter.md and notes/shopping.md.');
    await both.waitFor();
    assert.match(await both.innerText(), /It calls it "notes\/shopping\.md", which names something else\./);
    await me().shot('08 two names');
    assert.equal(await both.locator('.monaco-button').first().innerText(), 'Deny');
    await me().answer('drafts/letter.md', 'Deny');
    await me().result(/The host refused/);
    await me().call('append_line', { path: 'notes/elsewhere/linked', line: 'by a link' });
    const asked = `files (files.edit) wants to call append_line on ${outside}/linked (written as "notes/elsewhere/linked"), outside this workspace.`;
    await me().toast(asked).waitFor();
    await me().shot('09 where a link leads');
    await me().answer(asked, 'Allow Once');
    await me().result(/Appended a line to/);
    assert.equal(await readFile(join(outside, 'linked'), 'utf8'), 'by a link\n');
  });

  test('finds what is remembered in a view, for this server alone, and changes until when', async () => {
    const { person } = journey();
    await me().call('append_line', { path: 'drafts/letter.md', line: 'P.S.' });
    const asked = 'files (files.edit) wants to call append_line on drafts/letter.md. No rule in your settings covers';
    await me().answer(asked, 'Always');
    await me().untilRow(/^ {2}append_line: drafts\/letter\.md files \(files\.edit\) · until \d{4}-\d\d-\d\d$/);
    await me().again({ line: 'P.P.S.' });
    await until('the second line', journey(), async () => /P\.S\.\nP\.P\.S\.\n$/.test(await text('drafts/letter.md')));
    await me().isNotAsked();
    await me().menu('append_line: drafts/letter.md', 'Change Expiry');
    await person.pick('1 day');
    await me().untilRow(/drafts\/letter\.md .* until \d{4}-\d\d-\d\d( \d\d:\d\d)?$/);
    await me().shot('10 what is remembered');
    assert.deepEqual(
      (await me().spoken(/^Allowed/)).map((row) =>
        row.replaceAll(outside, '/outside').replace(/ \d{4}-\d\d-\d\d( \d\d:\d\d)?/, ' then'),
      ),
      [
        'Allowed until then: files (files.edit) may call append_line: drafts/letter.md.',
        'Allowed for this session: files (files.edit) may call append_line: /outside/fstab.',
        'Allowed for this session: files (files.edit) may call append_line: /outside/hosts.',
      ],
    );
    await start('papers');
    await me().untilRow(/^papers running .* 1 of 1 sets on/);
    await me().seeTools('papers');
    await me().call('append_line', { path: 'drafts/letter.md', line: 'x' });
    await me().answer('papers (files.edit) wants to call append_line on drafts/letter.md.', 'Deny');
    await me().result(/was not called: the person denied it\./);
  });

  test('denies in the settings what was allowed, and it is no longer allowed', async () => {
    const { page, person } = journey();
    await me().seeTools('files');
    await me().unfold('files', 'Scopes', 'files.edit');
    await person.clickTreeItem('**/secrets/**');
    await page.locator('.editor-instance .view-lines:has-text("blacklist")').waitFor();
    await person.press('End');
    await person.press('ArrowLeft');
    await person.type(', "**/letter.md"');
    await person.press('Control+S');
    await me().untilRow(/^ +\*\*\/letter\.md denied$/);
    await me().untilNoRow(/drafts\/letter\.md files/);
    await me().shot('11 denied after all');
    assert.match(await text(SETTINGS), /"blacklist": \["\*\*\/\.env", "\*\*\/secrets\/\*\*", "\*\*\/letter\.md"\]/);
    await me().fold('Scopes');
    await me().call('append_line', { path: 'drafts/letter.md', line: 'x' });
    await me().result(DENIED);
    await me().isNotAsked();
  });

  test('takes back by the keyboard, exports what is left, and takes back all', async () => {
    const { page, person } = journey();
    await me().menuByKeys(/^Allowed for this session: .*\/hosts/, /^Revoke/);
    await me().untilNoRow(/\/hosts files/);
    await me().commandByKeys('MCP Live: Export Approvals…');
    const dialog = page.locator('.quick-input-widget:visible:has-text("Export Approvals")');
    await until('a place for the export', journey(), async () =>
      (await dialog.locator('input[type="text"]').first().inputValue()).endsWith('/mcpl-approvals.json'),
    );
    await dialog.locator('.monaco-list-row:has-text("notes")').waitFor();
    await me().shot('12 where an export goes');
    await person.press('Enter');
    const file = join(journey().workspace, 'mcpl-approvals.json');
    await until('the export', journey(), async () => (await readFile(file, 'utf8').catch(() => '')) !== '');
    const { remembered, history } = JSON.parse(await readFile(file, 'utf8')) as Readonly<
      Record<'remembered' | 'history', readonly Readonly<Record<string, unknown>>[]>
    >;
    assert.deepEqual(
      remembered.map(({ server, featureSet, action, lifetime, targets }) => [
        server,
        featureSet,
        action,
        lifetime,
        targets,
      ]),
      [['files', 'files.edit', 'append_line', 'session', [join(outside, 'fstab')]]],
    );
    assert.ok(history.length > 15);
    await person.command('MCP Live: Revoke All Approvals…');
    await person.waitFor('.monaco-dialog-box:has-text("Revoke 1 approval?")');
    await me().shot('13 may all be taken back');
    await person.dialog('Revoke All');
    await page.locator('.monaco-dialog-box').waitFor({ state: 'hidden' });
    await me().untilNoRow(/^Remembered/);
  });

  test('decides the same way about a server that knows nothing of scopes', async () => {
    const { person } = journey();
    await person.command('Notifications: Clear All Notifications');
    // Its row is below the rows of the other server.
    await me().fold('files');
    assert.match(await start('library'), /it may touch in the workspace: "\$\{workspaceFolder\}\/notes\/\*\*"\./);
    await me().seeTools('library');
    await me().call('read_text_file', { path: 'notes/shopping.md' });
    await me().result(/# Shopping/);
    await me().call('read_text_file', { path: 'notes/../.env' });
    await me().result(DENIED);
    await me().isNotAsked();
    await me().call('read_text_file', { path: 'drafts/letter.md' });
    const asked = 'library wants to call read_text_file on drafts/letter.md. No rule in your settings covers';
    await me().toast(asked).waitFor();
    await me().shot('14 a question about a plain server');
    await me().answer(asked, 'Allow Once');
    await me().result(/P\.P\.S\./);
  });

  test('reads the questions in high contrast too', async () => {
    const { person } = journey();
    await changeSettings('"mcpl.servers"', '"workbench.colorTheme": "Default High Contrast",\n  "mcpl.servers"');
    await person.waitFor('.monaco-workbench.hc-black');
    await me().call('read_text_file', { path: join(outside, 'hosts') });
    const asked = `library wants to call read_text_file on ${outside}/hosts, outside this workspace.`;
    await me().toast(asked).waitFor();
    await me().unfold('History');
    await me().shot('15 in high contrast');
    await me().answer(asked, 'Deny');
    await me().result(/was not called: the person denied it\./);
  });
});
