import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { startEverything } from './everything.ts';
import { cleanSlate, mcpLive } from './mcpLive.ts';

const run = (command: string, target: object): Thenable<unknown> =>
  vscode.commands.executeCommand(command, { server: 'everything', ...target });

const activeText = async (): Promise<string> => vscode.window.activeTextEditor?.document.getText() ?? '';
const activeName = async (): Promise<string | undefined> =>
  vscode.window.activeTextEditor?.document.uri.path.split('/').at(-1);
const proposals = (): Promise<readonly string[]> => person.texts('.quick-input-list .monaco-list-row .label-name');
const asked = (title: string): Promise<void> => person.waitFor(`.quick-input-widget input[placeholder*="${title}"]`);

suite('Resources and prompts', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await startEverything();
  });
  teardown(cleanSlate);

  test('stand in the tree, and a click opens a resource as what it is, read-only', async () => {
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

  test('asks for the values of a template, and shows bytes in a view of their own', async () => {
    void run('mcpl.resource.open', { template: 'demo://resource/dynamic/text/{resourceId}' });
    await asked('resourceId');
    await person.answerInput('3');
    await eventually(activeName, '3.txt');
    assert.match(await activeText(), /Resource 3/);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await assert.rejects(
      Promise.resolve(
        vscode.workspace.fs.readFile(vscode.Uri.from({ scheme: 'mcpl-resource', path: '/x/y', query: 'no' })),
      ),
    );
  });

  test('tells what is wrong with a resource that is not there', async () => {
    await run('mcpl.resource.open', { resource: 'demo://nothing' });
    await eventually(
      async () => (await person.notifications()).some((text) => text.startsWith('The resource cannot be opened')),
      true,
    );
  });

  test('follows a resource that changes while it is open', async () => {
    await run('mcpl.resource.open', { resource: 'demo://resource/static/document/features.md' });
    await eventually(activeName, 'features.md');
    const { host } = await mcpLive();
    const { contents } = await host.readResource('everything', 'demo://resource/static/document/features.md');
    const [first] = contents;
    assert.ok(first?.kind === 'text');
    assert.equal(await activeText(), first.text);
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
