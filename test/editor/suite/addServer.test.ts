import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, untilServer, untilTools } from './mcpLive.ts';

const workspaceServers = (): unknown => vscode.workspace.getConfiguration().inspect('mcpl.servers')?.workspaceValue;
const userServers = (): unknown => vscode.workspace.getConfiguration().inspect('mcpl.servers')?.globalValue;

/** Users must not be asked about their own entries. */
const askNothing = async (): Promise<readonly string[]> => {
  const asked: string[] = [];
  (await mcpLive()).testing.answerConsent(async ({ server }) => {
    asked.push(server);
    return 'dontStart';
  });
  return asked;
};

/** The next step appears a moment after the last answer, so wait before typing. */
const atStep = (step: string): Promise<void> =>
  eventually(async () => (await person.texts('.quick-input-widget .quick-input-title'))[0], `Add Server (${step})`);

suite('Adding a server', () => {
  setup(cleanSlate);
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await cleanSlate();
  });

  test('asks step by step, writes the entry and starts it without a question', async () => {
    const asked = await askNothing();
    const added = vscode.commands.executeCommand('mcpl.server.add');
    await atStep('1/5');
    await person.screenshot('the Add Server wizard');
    await person.pick('Command');
    await atStep('2/5');
    await person.answerInput('mcpl-demo');
    await atStep('3/5');
    await person.answerInput('notes');
    await atStep('4/5');
    await person.pick('This Workspace');
    await atStep('5/5');
    await person.pick('Enable and Start Now');
    await added;
    await untilTools('notes');
    assert.deepEqual(workspaceServers(), { notes: { command: 'mcpl-demo', enabled: true } });
    assert.deepEqual(asked, []);
  });

  test('keeps the answers when going back, and says what is wrong with one', async () => {
    const added = vscode.commands.executeCommand('mcpl.server.add');
    await atStep('1/5');
    await person.pick('URL');
    await atStep('2/5');
    await person.answerInput('example.com');
    const problem = (): Promise<readonly string[]> => person.texts('.quick-input-widget .quick-input-message');
    await eventually(async () => (await problem()).map((text) => text.includes('starts with https://')), [true]);
    await person.screenshot('a wrong answer in the Add Server wizard');
    await person.answerInput('https://mcp.example.com/mcp');
    await atStep('3/5');
    await person.click('.quick-input-widget .codicon-quick-input-back');
    await atStep('2/5');
    await person.press('Enter');
    await atStep('3/5');
    await person.press('Enter');
    await atStep('4/5');
    await person.pick('All Workspaces');
    await atStep('5/5');
    await person.pick('Only Add It');
    await added;
    await untilServer('example', 'known', (server) => server !== undefined);
    assert.deepEqual(userServers(), { example: { url: 'https://mcp.example.com/mcp' } });
    assert.equal(workspaceServers(), undefined);
    await vscode.workspace.getConfiguration().update('mcpl.servers', undefined, vscode.ConfigurationTarget.Global);
    await untilServer('example', 'gone', (server) => server === undefined);
  });

  test('changes nothing when the user turns away', async () => {
    const added = vscode.commands.executeCommand('mcpl.server.add');
    await atStep('1/5');
    await person.pick('npm Package');
    await atStep('2/5');
    await person.answerInput('@modelcontextprotocol/server-memory');
    await atStep('3/5');
    await person.press('Escape');
    await added;
    assert.deepEqual([workspaceServers(), userServers()], [undefined, undefined]);
  });

  test('is one click for the demo server, which then runs, and a second click adds no second one', async () => {
    const asked = await askNothing();
    await vscode.commands.executeCommand('mcpl.demo.try');
    await untilTools('demo');
    await vscode.commands.executeCommand('mcpl.demo.try');
    assert.deepEqual(workspaceServers(), {
      demo: { command: 'mcpl-demo', featureSets: { enabled: ['notes.edit'] }, enabled: true },
    });
    assert.deepEqual(asked, []);
  });
});
