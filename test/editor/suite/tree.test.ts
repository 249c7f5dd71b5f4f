import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DOUBLE_CLICK_MS } from '../../../src/editor/servers/doubleClick.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import {
  cleanSlate,
  mcpLive,
  readSettings,
  setServers,
  untilServer,
  untilState,
  untilTools,
  PLAIN_DEMO,
} from './mcpLive.ts';

const rows = (): Promise<readonly string[]> => person.treeRows('Servers');

suite('The Servers view', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await person.openContainer('MCP Live');
  });
  teardown(cleanSlate);

  test('welcomes who has no server yet', async () => {
    const buttons = (): Promise<readonly string[]> => person.texts('.sidebar .welcome-view-content .monaco-button');
    await eventually(buttons, ['Add Server', 'Try the Demo Server', 'Choose Feature Sets']);
    await person.screenshot('the Servers view without servers');
  });

  test('shows a running server, and a failed one with its reason and next step', async () => {
    await setServers({
      demo: { ...PLAIN_DEMO, enabled: true, tools: { autoApprove: ['list_notes'] } },
      broken: { command: 'mcpl-no-such-command', enabled: true },
      wrong: { command: 5 },
    });
    await untilTools('demo');
    const failed = await untilState('broken', 'failed');
    assert.ok(failed?.state.kind === 'failed');
    const version = (await mcpLive()).host.server('demo')?.state;
    assert.ok(version?.kind === 'running');
    await eventually(
      async () => (await rows()).filter((row) => !row.startsWith(' ')),
      [`demo running · 5 tools · ${version.protocolVersion}`, 'broken failed', 'wrong error in settings'],
    );
    const why = failed.state.error.message;
    await eventually(async () => (await rows()).some((row) => row.trim() === why), true);
    const labels = (await rows()).map((row) => row.trim());
    assert.ok(
      labels.some((label) => label.startsWith('command: ') && label.endsWith('workspace settings')),
      labels.join('\n'),
    );
    await person.clickTreeItem('demo', 'expand');
    await person.clickTreeItem('Tools', 'expand');
    await eventually(
      async () => (await rows()).slice(0, 8),
      [
        `demo running · 5 tools · ${version.protocolVersion}`,
        '  Tools 5',
        '    add_note asks first [x]',
        '    list_notes auto-approved [x]',
        '    search_notes asks first [x]',
        '    delete_note asks first [x]',
        '    summarize_notes asks first [x]',
        '  Log',
      ],
    );
    await person.screenshot('the Servers view');
  });

  test('hides a tool from models when its checkbox is cleared, and stays open meanwhile', async () => {
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true } });
    await untilTools('demo');
    await eventually(async () => (await rows()).length, 1);
    await person.clickTreeItem('demo', 'expand');
    await person.clickTreeItem('Tools', 'expand');
    await person.clickTreeItem('delete_note', 'checkbox');
    const hides =
      (name: string) =>
      (
        server:
          | { readonly tools: readonly { readonly tool: { readonly name: string }; readonly offered: boolean }[] }
          | undefined,
      ): boolean =>
        server?.tools.find(({ tool }) => tool.name === name)?.offered === false;
    await untilServer('demo', 'hides delete_note', hides('delete_note'));
    assert.match(await readSettings(), /"hidden":\s*\[\s*"delete_note"\s*\]/);
    await eventually(
      async () => (await rows()).slice(1, 6),
      [
        '  Tools 4 of 5 offered to models',
        '    add_note asks first [x]',
        '    list_notes asks first [x]',
        '    search_notes asks first [x]',
        '    delete_note not offered [ ]',
      ],
    );
    await person.clickTreeItem('delete_note', 'checkbox');
    await eventually(async () => (await rows())[5], '    delete_note asks first [x]');
  });

  test('has no checkbox for a tool whose feature set is off, and turns the set on and off again from there', async () => {
    await setServers({ notepad: { command: 'mcpl-demo', args: ['notes'], enabled: true } });
    await untilTools('notepad');
    const before = await readSettings();
    const tools = async (): Promise<readonly string[]> =>
      (await rows()).map((row) => row.trim()).filter((row) => row.includes('add_note') || row.includes('list_notes'));
    await eventually(async () => (await rows()).filter((row) => row.startsWith('notepad running')).length, 1);
    await person.clickTreeItem('notepad', 'expand');
    await person.clickTreeItem('Feature Sets', 'expand');
    await person.clickTreeItem('Tools', 'expand');
    // A click during a repaint of the tree is lost. Clicks again, like a user.
    const check = async (expected: readonly string[]): Promise<void> => {
      const isShown = (): Promise<boolean> =>
        eventually(tools, expected, 4_000).then(
          () => true,
          () => false,
        );
      for (let left = 3; left > 0; left--) {
        await person.clickTreeItem('notes.edit', 'checkbox');
        if (await isShown()) return;
      }
      assert.deepEqual(await tools(), expected);
    };
    const OFF = ['add_note off with notes.edit', 'list_notes off with notes.edit'];
    const ON = ['add_note asks first [x]', 'list_notes asks first [x]'];
    await eventually(tools, OFF);
    await person.screenshot('tools of a feature set that is off');
    await person.clickTreeItem('add_note', 'Turn On Feature Set');
    await eventually(tools, ON);
    await eventually(async () => /"enabled":\s*\[\s*"notes.edit"\s*\]/.test(await readSettings()), true);
    await person.screenshot('the notification about a feature set that was turned on from a tool');
    await person.notification('Undo', 'Turned on the feature set "notes.edit" of "notepad".');
    await eventually(tools, OFF);
    await eventually(readSettings, before);
    // By the checkbox of the set, the rows of the tools lose theirs too.
    await check(ON);
    await eventually(async () => (await readSettings()) === before, false);
    await check(OFF);
    await eventually(readSettings, before);
  });

  test('starts and stops a server by the buttons of its row', async () => {
    await setServers({ demo: { ...PLAIN_DEMO } });
    // Its row may still be expanded, because the editor remembers that by server.
    await eventually(async () => (await rows())[0], 'demo off');
    await person.clickTreeItem('demo', 'Start Server');
    const clicked = Date.now();
    await untilTools('demo');
    // A second click within the double-click time does not stop it.
    await eventually(async () => Date.now() - clicked > DOUBLE_CLICK_MS, true);
    await person.clickTreeItem('demo', 'Stop Server');
    await untilState('demo', 'stopped');
    await eventually(async () => (await rows())[0], 'demo off');
  });

  test('opens the settings at an entry with an error', async () => {
    await setServers({ wrong: { command: 5 } });
    await eventually(async () => (await rows()).length, 3);
    await person.click('.sidebar .monaco-list-row:has-text("command: ")');
    await eventually(async () => vscode.window.activeTextEditor?.document.uri.path.endsWith('settings.json'), true);
  });
});
