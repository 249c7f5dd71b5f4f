import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf, processTree } from '../../harness/processes.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';

/** None of them is enabled. */
const servers = { demo: { command: 'mcpl-demo' }, far: { url: 'http://127.0.0.1:9/mcp' } };

suite('The installed extension', () => {
  let editor: JourneyEditor | undefined;

  suiteSetup(async () => {
    editor = await openJourney({ settings: { 'mcpl.servers': servers }, trust: 'yes' });
  });

  suiteTeardown(async () => {
    await editor?.close();
  });

  const opened = (): JourneyEditor => {
    assert.ok(editor !== undefined);
    return editor;
  };

  test('brings its container with the Servers view', async () => {
    const { person } = opened();
    await person.openContainer('MCP Live');
    await person.waitFor('.sidebar .pane-header:has-text("Servers"), .sidebar .title-label:has-text("Servers")');
    await person.screenshot('installed');
  });

  test('is activated by the editor without an error or a notification', async () => {
    const { hostLog, person } = opened();
    const activation = '_doActivateExtension mcp-live.mcp-live';
    for (let round = 0; round < 50 && !(await hostLog()).includes(activation); round++) await delay(200);
    const lines = (await hostLog()).split('\n');
    assert.equal(lines.filter((line) => line.includes(activation)).length, 1);
    assert.deepEqual(
      lines.filter((line) => line.includes('[error]') && line.includes('mcp-live')),
      [],
    );
    assert.deepEqual(await person.notifications(), []);
  });

  test('costs nothing while no server is enabled: no process, no database, no folder', async () => {
    const { person, pid, workspace } = opened();
    let rows: readonly string[] = [];
    for (let round = 0; round < 100 && rows.length < 2; round++) {
      await delay(100);
      rows = await person.treeRows();
    }
    assert.deepEqual(
      rows.map((row) => row.split(' ')[0]),
      ['demo', 'far'],
    );
    const [host] = processTree(pid).filter((each) => commandLineOf(each).includes('--type=extensionHost'));
    assert.ok(host !== undefined);
    assert.deepEqual(
      processTree(host)
        .filter((each) => each !== host)
        .map(commandLineOf)
        .filter((line) => line.includes('mcp-live')),
      [],
    );
    const data = join(dirname(workspace), 'data');
    assert.deepEqual(globSync('**/{mcpl.sqlite*,mcp-live.mcp-live/processes}', { cwd: data }), []);
  });
});
