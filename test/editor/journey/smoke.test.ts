import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';

suite('The installed extension', () => {
  let editor: JourneyEditor | undefined;

  suiteSetup(async () => {
    editor = await openJourney({ trust: 'yes' });
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
});
