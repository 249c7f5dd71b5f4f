import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, untilState, untilTools, PLAIN_DEMO } from './mcpLive.ts';

const ITEM = '[id="mcp-live.mcp-live.mcpl.status"]';
const item = async (): Promise<readonly string[]> => (await person.texts(ITEM)).map((text) => text.trim());

suite('The status bar item', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
  });
  teardown(cleanSlate);

  test('appears with the first server and counts those that run', async () => {
    await eventually(item, []);
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true }, other: { ...PLAIN_DEMO } });
    await untilTools('demo');
    await eventually(item, ['1']);
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true }, bad: { command: 5 } });
    await eventually(async () => (await item()).map((text) => text.replace(/\s+/g, ' ')), ['1 1']);
    await person.screenshot('the status bar item');
  });

  test('opens the servers with what can be done to each', async () => {
    await setServers({ demo: { ...PLAIN_DEMO } });
    await eventually(item, ['0']);
    await person.click(ITEM);
    const rows = (): Promise<readonly string[]> => person.texts('.quick-input-list .monaco-list-row .label-name');
    await eventually(rows, ['demo', 'Add Server…', 'Show Log of MCP Live']);
    await person.screenshot('the servers in the quick pick');
    await person.pick('demo');
    await eventually(rows, ['Start', 'Show Log', 'Open Settings']);
    await person.pick('Start');
    await untilState('demo', 'running');
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    assert.equal((await mcpLive()).host.server('demo')?.state.kind, 'running');
  });
});
