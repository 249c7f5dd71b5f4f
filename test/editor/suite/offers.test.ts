import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { changes, startAsking } from './askingServer.ts';
import { eventually } from './eventually.ts';
import { referenceServer, startEverything } from './everything.ts';
import { fakeModel } from './fakeModel.ts';
import { cleanSlate, mcpLive, setServers, untilServer } from './mcpLive.ts';

const run = (command: string, target: object): Thenable<unknown> =>
  vscode.commands.executeCommand(command, { server: 'everything', ...target });

const activeText = async (): Promise<string> => vscode.window.activeTextEditor?.document.getText() ?? '';
const activeName = async (): Promise<string | undefined> =>
  vscode.window.activeTextEditor?.document.uri.path.split('/').at(-1);
const proposals = (): Promise<readonly string[]> =>
  person.texts('.quick-input-list .quick-input-list-row:first-child .label-name');
const asked = (title: string): Promise<void> => person.waitFor(`.quick-input-widget input[placeholder*="${title}"]`);

suite('Resources and prompts', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await startEverything();
  });
  teardown(cleanSlate);

  test('are in the tree, and a click opens a resource in its type, read-only', async () => {
    await person.openContainer('MCP Live');
    await eventually(async () => (await person.treeRows()).length > 0, true);
    await person.clickTreeItem('everything', 'expand');
    await eventually(
      async () => (await person.treeRows()).filter((row) => /^ {2}(?!Tools)\S/.test(row)),
      ['  Resources 7 · 2 templates', '  Prompts 4', '  Log'],
    );
    await person.clickTreeItem('Resources', 'expand');
    await person.clickTreeItem('Prompts', 'expand');
    await person.screenshot('the Servers view with resources and prompts');
    await person.clickTreeItem('features.md');
    await eventually(activeName, 'features.md');
    const document = vscode.window.activeTextEditor?.document;
    assert.deepEqual([document?.uri.scheme, document?.languageId], ['mcpl-resource', 'markdown']);
    assert.equal(vscode.workspace.fs.isWritableFileSystem('mcpl-resource'), false);
    assert.match(await activeText(), /Everything Server/);
  });

  test('asks for the values of a template, and gives bytes as they are', async () => {
    void run('mcpl.resource.open', { template: 'demo://resource/dynamic/text/{resourceId}' });
    await asked('resourceId');
    await person.answerInput('3');
    await eventually(activeName, '3.txt');
    assert.match(await activeText(), /Resource 3/);
    void run('mcpl.resource.open', { template: 'demo://resource/dynamic/blob/{resourceId}' });
    await asked('resourceId');
    await person.answerInput('4');
    await eventually(activeName, '4.txt');
    const bytes = await vscode.workspace.fs.readFile(
      vscode.window.activeTextEditor?.document.uri ?? vscode.Uri.file('/'),
    );
    assert.match(new TextDecoder().decode(bytes), /^Resource 4: This is a base64 blob/);
    await assert.rejects(
      Promise.resolve(
        vscode.workspace.fs.readFile(vscode.Uri.from({ scheme: 'mcpl-resource', path: '/x/y', query: 'no' })),
      ),
    );
  });

  test('report the problem of a missing resource', async () => {
    await run('mcpl.resource.open', { resource: 'demo://nothing' });
    await eventually(
      async () => (await person.notifications()).some((text) => text.startsWith('The resource cannot be opened')),
      true,
    );
  });

  test('follows a resource that changes while it is open', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcpl-memory-'));
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
    await setServers({ memory: { ...referenceServer('server-memory'), env, enabled: true } });
    await untilServer('memory', 'running with its resource', (server) => server?.resources.length === 1);
    const resource = 'memory://knowledge-graph';
    await vscode.commands.executeCommand('mcpl.resource.open', { server: 'memory', resource });
    await eventually(activeName, 'knowledge-graph.json');
    assert.equal((await activeText()).includes('Ada'), false);
    const { host } = await mcpLive();
    const args = { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] };
    await host.callTool({ server: 'memory', tool: 'create_entities', args, route: 'api' });
    await eventually(async () => (await activeText()).includes('Ada'), true);
    await setServers(undefined);
    await rm(folder, { recursive: true, force: true });
  });

  test('asks for the arguments of a prompt with what the server proposes, and shows its messages', async () => {
    void run('mcpl.prompt.get', { prompt: 'completable-prompt' });
    await asked('department');
    await person.type('E');
    await eventually(proposals, ['E', 'Engineering']);
    await person.press('ArrowDown');
    await person.press('Enter');
    await asked('name');
    await eventually(proposals, ['(enter a value)', 'Alice', 'Bob', 'Charlie']);
    await person.screenshot('what a server proposes for an argument');
    await person.pick('Bob');
    await eventually(activeName, 'completable-prompt.md');
    assert.match(await activeText(), /^## User\n\n.*Bob.*Engineering/);
    await vscode.commands.executeCommand('mcpl.prompt.copy');
    assert.equal(await vscode.env.clipboard.readText(), await activeText());
  });

  test('sets how much a server logs', async () => {
    void run('mcpl.server.setLogLevel', {});
    await person.pick('warning');
    const { host } = await mcpLive();
    await eventually(async () => host.logLevel('everything'), 'warning');
  });
});

const openNote = (resource: string): Thenable<unknown> =>
  vscode.commands.executeCommand('mcpl.resource.open', { server: 'asking', resource });
const noteFile = (resource: string, part: number): vscode.Uri =>
  vscode.Uri.from({
    scheme: 'mcpl-resource',
    authority: 'asking',
    path: '/any.txt',
    query: JSON.stringify(['asking', resource, part]),
  });
const visibleTexts = (): readonly string[] =>
  vscode.window.visibleTextEditors.map(({ document }) => document.getText());
const attached = (): Promise<readonly string[]> =>
  person.texts('.chat-attachments-container .chat-attached-context-attachment:not(.implicit)');
const chatInput = async (): Promise<string> =>
  (await person.texts('.interactive-input-editor .view-line')).join(' ').replaceAll('\u00a0', ' ').trim();
const newChat = async (): Promise<void> => {
  await vscode.commands.executeCommand('workbench.action.chat.newChat');
  await eventually(async () => (await attached()).length, 0);
};

suite('Resources as files', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await startAsking();
  });
  teardown(cleanSlate);

  test('are read-only, and can be looked at before anything was read', async () => {
    const file = noteFile('note://one', 0);
    const { type, size, permissions } = await vscode.workspace.fs.stat(file);
    assert.deepEqual([type, size, permissions], [vscode.FileType.File, 9, vscode.FilePermission.Readonly]);
    assert.equal(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)), 'version 1');
    await assert.rejects(Promise.resolve(vscode.workspace.fs.writeFile(file, new Uint8Array())));
    await assert.rejects(Promise.resolve(vscode.workspace.fs.stat(noteFile('note://one', 1))));
    await assert.rejects(Promise.resolve(vscode.workspace.fs.stat(noteFile('note://none', 0))));
  });

  test('have a file for each part, text and picture', async () => {
    for (const [label, name] of [
      ['words.md', 'words.md'],
      ['dot.png', 'dot.png'],
    ] as const) {
      void openNote('note://parts');
      await eventually(proposals, ['words.md', 'dot.png']);
      await person.pick(label);
      const { tabGroups } = vscode.window;
      await eventually(async () => tabGroups.activeTabGroup.activeTab?.label, name);
    }
    await person.waitFor('.tab.active:has-text("dot.png")');
    const [input] = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map((tab) => tab.input));
    assert.ok(input instanceof vscode.TabInputCustom, 'The picture is shown as one.');
    assert.equal(input.uri.authority, 'asking');
    assert.equal((await vscode.workspace.fs.readFile(input.uri)).byteLength, 70);
  });

  test('change while they are shown, also when only compared, and after a restart of their server', async () => {
    await openNote('note://one');
    await eventually(async () => visibleTexts(), ['version 1']);
    await changes();
    await eventually(async () => visibleTexts(), ['version 2']);
    const file = vscode.window.activeTextEditor?.document.uri ?? vscode.Uri.file('/');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const before = await vscode.workspace.openTextDocument({ content: 'version 0' });
    await vscode.commands.executeCommand('vscode.diff', before.uri, file, 'Then and now');
    await eventually(async () => visibleTexts(), ['version 0', 'version 2']);
    await changes();
    await eventually(async () => visibleTexts(), ['version 0', 'version 3']);
    await person.screenshot('a resource that is compared, changed');
    const { host } = await mcpLive();
    await host.restart('asking');
    await eventually(async () => visibleTexts(), ['version 0', 'version 1']);
  });
});

suite('Browse Resources', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await fakeModel();
    await startAsking();
  });
  teardown(async () => {
    await newChat();
    await cleanSlate();
  });

  test('has what all servers lend, in all pages, and opens what is chosen', async () => {
    await person.command('MCP Live: Browse Resources');
    await eventually(proposals, ['The $ (zap) first note', 'parts', 'A day…']);
    await person.screenshot('what servers lend');
    await person.type('first');
    await eventually(proposals, ['The $ (zap) first note']);
    await person.press('Enter');
    await eventually(activeText, 'version 1');
  });

  test('asks for the values of a template with what the server proposes', async () => {
    await person.command('MCP Live: Browse Resources');
    await person.pick('A day…');
    await asked('day');
    await person.type('tu');
    await eventually(proposals, ['tu', 'tuesday']);
    await person.pick('tuesday');
    await eventually(activeText, 'note://dated/tuesday');
  });

  test('attaches a resource to the chat: from its row, from the view, and from its editor', async () => {
    await person.command('MCP Live: Browse Resources');
    await eventually(proposals, ['The $ (zap) first note', 'parts', 'A day…']);
    await person.click(
      '.quick-input-list .monaco-list-row:has-text("first note") .action-label[aria-label="Attach to Chat"]',
    );
    await eventually(attached, ['one.txt']);
    // The command ends with the answer to its message about the image.
    void vscode.commands.executeCommand('mcpl.resource.attach', { server: 'asking', resource: 'note://parts' });
    await eventually(async () => [...(await attached())].sort(), ['one.txt', 'words.md']);
    // The chat silently drops such an image.
    await eventually(
      async () =>
        (await person.notifications()).some(
          (text) => text.includes('accepts pictures only from files') && text.endsWith('dot.png'),
        ),
      true,
    );
    await vscode.commands.executeCommand('notifications.clearAll');
    await person.screenshot('resources attached to the chat');
    await newChat();
    await openNote('note://one');
    await eventually(activeText, 'version 1');
    await person.click('.editor-actions .action-label[aria-label="Attach Resource to Chat"]');
    await eventually(attached, ['one.txt']);
  });
});

suite('A prompt in chat', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await fakeModel();
    await startAsking();
  });
  teardown(async () => {
    await newChat();
    await cleanSlate();
  });

  test('is filled in with proposals of the server, and goes into the input without being a command of the chat', async () => {
    void vscode.commands.executeCommand('mcpl.prompt.use', { server: 'asking', prompt: 'greet' });
    await asked('who');
    await person.type('a');
    await eventually(proposals, ['a', 'Ada', 'Alan']);
    await person.screenshot('a prompt for the chat, with what the server proposes');
    await person.pick('Ada');
    await eventually(proposals, ['Chat', '@mcpl', 'Copy']);
    await person.screenshot('where a prompt goes');
    await person.pick('@mcpl');
    await eventually(chatInput, '@mcpl Prompt: /help @workspace greet Ada');
    await person.screenshot('a prompt in the input of the chat');
  });

  test('that is shown goes there, or is copied', async () => {
    void vscode.commands.executeCommand('mcpl.prompt.get', { server: 'asking', prompt: 'greet' });
    await asked('who');
    await person.answerInput('Grace');
    await eventually(activeText, '## User\n\n/help @workspace greet Grace\n');
    await person.click('.editor-actions .action-label[aria-label="Send Prompt to Chat…"]');
    await eventually(proposals, ['Chat', '@mcpl', 'Copy']);
    await person.press('Enter');
    await eventually(chatInput, 'Prompt: /help @workspace greet Grace');
    void vscode.commands.executeCommand('mcpl.prompt.use', { server: 'asking', prompt: 'greet' });
    await asked('who');
    await person.answerInput('Ada');
    await person.pick('Copy');
    await eventually(() => Promise.resolve(vscode.env.clipboard.readText()), '/help @workspace greet Ada');
  });
});
