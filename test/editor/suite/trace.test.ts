import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { writeTrace } from '../../../src/editor/trace/tracePanel.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, untilTools, PLAIN_DEMO } from './mcpLive.ts';

const texts = (selector: string): Promise<readonly string[]> => person.webviewTexts(selector);
const count = async (): Promise<string | undefined> => (await texts('.count'))[0];
const asIs = (text: string): string => text;

const showTrace = async (): Promise<void> => {
  await vscode.commands.executeCommand('mcpl.server.showTrace', { server: 'demo' });
};

const callTool = async (): Promise<void> => {
  const { host } = await mcpLive();
  await host.callTool({ server: 'demo', tool: 'list_notes', args: {}, route: 'api' });
};

const setTheme = (theme: string | undefined): Thenable<void> =>
  vscode.workspace.getConfiguration().update('workbench.colorTheme', theme, vscode.ConfigurationTarget.Workspace);

suite('The protocol trace', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true } });
    await untilTools('demo');
  });
  teardown(async () => {
    await setTheme(undefined);
    await vscode.workspace.getConfiguration().update('mcpl.trace', undefined, vscode.ConfigurationTarget.Workspace);
    await cleanSlate();
  });

  test('records from the moment it is shown, and shows a message that is chosen', async () => {
    await callTool();
    await showTrace();
    await eventually(count, '0 messages');
    await callTool();
    await eventually(count, '2 messages');
    await eventually(() => texts('.list .row .method'), ['tools/call', 'tools/call']);
    await person.webviewClick('.list .row.sent');
    await eventually(() => texts('.detail h2'), ['tools/call (request)']);
    assert.match((await texts('.detail pre'))[0] ?? '', /"name": "list_notes"/);
    await person.press('Escape');
    await eventually(() => texts('.detail h2'), []);
    await person.webviewClick('button:has-text("Clear")');
    await eventually(count, '0 messages');
    await person.webviewClick('button:has-text("Record")');
    await eventually(() => texts('.empty'), ['Recording is off. Press Record to see messages.']);
    await callTool();
    assert.equal((await mcpLive()).host.trace('demo').size, 0);
  });

  test('records how a server opens where the setting says so', async () => {
    await vscode.workspace.getConfiguration().update('mcpl.trace', 'messages', vscode.ConfigurationTarget.Workspace);
    const { host } = await mcpLive();
    await eventually(async () => host.trace('demo').isOn, true);
    await host.restart('demo');
    await untilTools('demo');
    await showTrace();
    await eventually(async () => (await texts('.list .row.sent .method')).includes('tools/list'), true);
    assert.ok((await texts('.list .row .method')).some((method) => /initialize|discover/.test(method)));
  });

  test('stays quick with 100,000 messages: opens, filters, scrolls, by keyboard too', async () => {
    const { host } = await mcpLive();
    const trace = host.trace('demo');
    trace.set(true);
    trace.clear();
    const methods = ['tools/call', 'resources/read', 'notifications/progress', 'prompts/get'];
    for (let i = 0; i < 50_000; i++) {
      const method = methods[i % methods.length] ?? '';
      trace.record('sent', { jsonrpc: '2.0', id: i, method, params: { note: `Message ${i}`, list: [i, i + 1] } }, asIs);
      trace.record(
        'received',
        { jsonrpc: '2.0', id: i, result: { content: [{ type: 'text', text: `Done ${i}` }] } },
        asIs,
      );
    }
    const opening = Date.now();
    await showTrace();
    await eventually(count, '100,000 messages');
    await eventually(async () => (await texts('.list .row .id')).includes('49999'), true);
    const opened = Date.now() - opening;
    assert.deepEqual(await texts('button[aria-pressed="true"]'), ['Record', 'Follow']);

    const rows = await texts('.list .row');
    assert.ok(rows.length > 10 && rows.length < 120, `${rows.length} rows are in the page.`);

    await person.webviewClick('.list .row >> nth=4');
    await eventually(async () => (await texts('.detail h2')).length, 1);
    await person.press('Home');
    await eventually(async () => (await texts('.detail pre'))[0]?.includes('Message 0'), true);
    await eventually(async () => (await texts('.list .row .id')).includes('0'), true);
    await person.press('ArrowDown');
    await eventually(async () => (await texts('.detail pre'))[0]?.includes('Done 0'), true);
    await person.press('End');
    await eventually(async () => (await texts('.detail pre'))[0]?.includes('Done 49999'), true);

    const filtering = Date.now();
    await person.webviewFill('#filter', 'resources');
    await eventually(count, '25,000 of 100,000 messages');
    const filtered = Date.now() - filtering;
    await eventually(async () => new Set(await texts('.list .row .method')), new Set(['resources/read']));
    await setTheme('Default Dark Modern');
    await eventually(async () => vscode.window.activeColorTheme.kind, vscode.ColorThemeKind.Dark);
    await person.screenshot('the protocol trace, dark');
    await setTheme('Default Light Modern');
    await eventually(async () => vscode.window.activeColorTheme.kind, vscode.ColorThemeKind.Light);
    await person.screenshot('the protocol trace, light');
    await setTheme('Default High Contrast');
    await eventually(async () => vscode.window.activeColorTheme.kind, vscode.ColorThemeKind.HighContrast);
    await person.screenshot('the protocol trace, high contrast');

    // New messages push out the oldest, and the list follows the end.
    await person.webviewFill('#filter', '');
    await eventually(count, '100,000 messages');
    for (let i = 0; i < 500; i++) trace.record('received', { jsonrpc: '2.0', method: 'notifications/late' }, asIs);
    await eventually(async () => (await texts('.list .row .method')).includes('notifications/late'), true);
    assert.equal(await count(), '100,000 messages');
    assert.ok(opened < 6_000 && filtered < 3_000, `It took ${opened} ms to open and ${filtered} ms to filter.`);

    const folder = await mkdtemp(join(tmpdir(), 'mcpl-trace-'));
    const file = join(folder, 'trace.jsonl');
    await writeTrace(trace, { text: 'late', direction: 'both' }, vscode.Uri.file(file));
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    await rm(folder, { recursive: true });
    const [first]: readonly unknown[] = lines.map((line): unknown => JSON.parse(line));
    assert.equal(lines.length, 500);
    assert.deepEqual((first as { readonly message: unknown }).message, {
      jsonrpc: '2.0',
      method: 'notifications/late',
    });
  });
});
