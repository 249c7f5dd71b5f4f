import assert from 'node:assert/strict';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

const said = async ({ person }: JourneyEditor, text: string): Promise<readonly string[]> =>
  (await person.notifications()).filter((message) => message.includes(text));

const untilRow = (editor: JourneyEditor, row: RegExp): Promise<void> =>
  until(`a row ${row.source}`, editor, async () => (await editor.person.treeRows()).some((each) => row.test(each)));

/** Reloads the window, and waits until the servers of the first window have started again. */
const reload = async (editor: JourneyEditor, running: RegExp): Promise<void> => {
  await editor.reload();
  await editor.person.openContainer('MCP Live');
  await untilRow(editor, running);
};

suite('A user with servers in the user settings', () => {
  let opened: JourneyEditor | undefined;

  teardown(async () => {
    await opened?.close();
    opened = undefined;
  });

  test('is told once in which folder a server with relative arguments runs, and not again after a reload', async () => {
    // Without MCPL nothing else is announced.
    const protocol = { mcpl: 'off' };
    const notes = { command: 'mcpl-demo', args: ['notes', './notes.json'], enabled: true, protocol };
    const elsewhere = { ...notes, cwd: '/tmp' };
    opened = await openJourney({ userSettings: { 'mcpl.servers': { elsewhere, notes } }, trust: 'before' });
    const editor = opened;
    await editor.person.openContainer('MCP Live');
    await untilRow(editor, /^notes running/);
    const hint =
      'MCP Live starts the server "notes" in your home folder, because it has no "cwd". Set "cwd" if its relative arguments ("./notes.json") belong to another folder.';
    let hints: readonly string[] = [];
    await until('the hint', editor, async () => (hints = await said(editor, 'home folder')).length > 0);
    assert.deepEqual(hints, [hint]);
    await editor.person.screenshot('journey the folder of a server with relative arguments');
    await editor.person.notification('Open Settings', 'home folder');
    await editor.page.locator('.tab.active:has-text("settings.json")').waitFor();
    await editor.person.screenshot('journey the settings of a server with relative arguments');

    await reload(editor, /^notes running/);
    assert.deepEqual(await said(editor, 'home folder'), []);
    await editor.person.clickTreeItem('notes', 'Restart');
    await untilRow(editor, /^notes running/);
    assert.deepEqual(await said(editor, 'home folder'), []);
  });

  test('keeps a guard that a workspace turns off, also after a reload, and is not asked again', async () => {
    const guard = {
      command: 'mcpl-demo',
      args: ['compliance'],
      enabled: true,
      featureSets: { enabled: ['compliance.redaction'] },
      hooks: { afterInference: 'failClosed' },
    };
    opened = await openJourney({
      userSettings: { 'mcpl.servers': { guard } },
      settings: { 'mcpl.servers': { guard: { enabled: false } } },
      trust: 'before',
    });
    const editor = opened;
    await editor.person.openContainer('MCP Live');
    await untilRow(editor, /^guard running/);
    await until('the question', editor, async () => (await said(editor, 'turns off this guard')).length > 0);
    await editor.person.screenshot('journey a workspace that turns off a guard');
    await editor.person.notification('Keep Mine', 'turns off this guard');
    await until('the answer', editor, async () => (await said(editor, 'turns off this guard')).length === 0);

    for (const again of ['once', 'twice']) {
      await reload(editor, /^guard running/);
      assert.deepEqual(await said(editor, 'guard'), [], again);
    }
    await editor.person.screenshot('journey a guard that was kept');
  });
});
