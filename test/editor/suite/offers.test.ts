import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { referenceServer, startEverything } from './everything.ts';
import { cleanSlate, mcpLive, setServers, untilServer } from './mcpLive.ts';

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

  test('tells what is wrong with a resource that is not there', async () => {
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
