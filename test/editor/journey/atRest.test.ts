import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf, processTree } from '../../harness/processes.ts';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';

const isActivated = async (editor: JourneyEditor): Promise<boolean> =>
  /mcp-live\.mcp-live/.test(await editor.hostLog());

suite('A person who has no server enabled', () => {
  let opened: JourneyEditor | undefined;

  suiteTeardown(async () => {
    await opened?.close();
  });

  test('pays for nothing: no process, no database, no folder of ours', async () => {
    const servers = { demo: { command: 'mcpl-demo' }, far: { url: 'http://127.0.0.1:9/mcp' } };
    const editor = await openJourney({ settings: { 'mcpl.servers': servers }, trust: 'yes' });
    opened = editor;
    for (let round = 0; round < 100 && !(await isActivated(editor)); round++) await delay(100);
    assert.ok(await isActivated(editor), 'the extension was activated');
    await editor.person.openContainer('MCP Live');
    let rows: readonly string[] = [];
    for (let round = 0; round < 100 && rows.length < 2; round++) {
      await delay(100);
      rows = await editor.person.treeRows();
    }
    assert.deepEqual(
      rows.map((row) => row.split(' ')[0]),
      ['demo', 'far'],
    );
    const [host] = processTree(editor.pid).filter((pid) => commandLineOf(pid).includes('--type=extensionHost'));
    assert.ok(host !== undefined);
    assert.deepEqual(
      processTree(host)
        .filter((pid) => pid !== host)
        .map(commandLineOf)
        .filter((line) => line.includes('mcp-live')),
      [],
    );
    const data = join(dirname(editor.workspace), 'data');
    assert.deepEqual(globSync('**/{mcpl.sqlite*,mcp-live.mcp-live/processes}', { cwd: data }), []);
  });
});
