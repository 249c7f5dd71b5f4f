import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { StartAnswer, StartQuestion } from '../../../src/core/index.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, untilServer, untilState } from './mcpLive.ts';

const DEMO = { command: 'mcpl-demo', args: ['--a b', '[x](command:workbench.action.quit)'] };

suite('Before a server of the workspace starts for the first time', () => {
  setup(cleanSlate);
  teardown(cleanSlate);

  /** Answers instead of the user, and records the questions. */
  const answering = async (answer: StartAnswer): Promise<readonly StartQuestion[]> => {
    const questions: StartQuestion[] = [];
    (await mcpLive()).testing.answerConsent(async (question) => {
      questions.push(question);
      return answer;
    });
    return questions;
  };

  test('a notification shows the whole command line, and starts it', async () => {
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilState('demo', 'asking');
    const [text] = (await person.notifications()).filter((shown) => shown.includes('demo'));
    assert.match(text ?? '', /^This workspace wants to run "demo": "mcpl-demo/);
    assert.match(text ?? '', /mcpl-demo/);
    assert.ok(text?.includes(String.raw`[x]\u{28}command:workbench.action.quit)`) === true, text);
    await person.screenshot('the question whether a server may start');
    await person.notification('Start', 'demo');
    await untilState('demo', 'running');
  });

  test('it can be declined, and is asked again at the next start', async () => {
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilState('demo', 'asking');
    await person.notification("Don't Start", 'demo');
    assert.deepEqual((await untilState('demo', 'stopped'))?.state, { kind: 'stopped', reason: 'notApproved' });
    const starting = vscode.commands.executeCommand('mcpl.server.start', { server: 'demo' });
    await untilState('demo', 'asking');
    await person.notification('Start', 'demo');
    await starting;
    await untilState('demo', 'running');
  });

  test('the start command shows a question again that waits, which is no answer to it', async () => {
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilState('demo', 'asking');
    await vscode.commands.executeCommand('mcpl.server.start', { server: 'demo' });
    await vscode.commands.executeCommand('mcpl.server.start', { server: 'demo' });
    assert.equal((await mcpLive()).host.server('demo')?.state.kind, 'asking');
    assert.equal((await mcpLive()).testing.services.questions.waiting.length, 1);
    await person.notification('Start', 'demo');
    await untilState('demo', 'running');
  });

  test('a double-click on Start does not cancel the question', async () => {
    await setServers({ demo: { ...DEMO } });
    await person.openContainer('MCP Live');
    const row = async (): Promise<string | undefined> => (await person.treeRows('Servers'))[0];
    await eventually(row, 'demo off');
    await person.doubleClickTreeItem('demo', 'Start Server');
    await untilState('demo', 'asking');
    await eventually(row, 'demo waiting for your answer');
    await person.screenshot('a question after a double-click on Start');
    assert.equal((await mcpLive()).testing.services.questions.waiting.length, 1);
    await person.notification('Start', 'demo');
    await untilState('demo', 'running');
  });

  test('a button of a question that has ended says so, and is no answer', async () => {
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilState('demo', 'asking');
    await vscode.commands.executeCommand('mcpl.server.stop', { server: 'demo' });
    await untilState('demo', 'stopped');
    await person.notification('Start', 'demo');
    await eventually(() => person.notifications(), ['The question has ended. Start the server again.']);
    assert.equal((await mcpLive()).host.server('demo')?.state.kind, 'stopped');
  });

  test('closing the question starts nothing', async () => {
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilState('demo', 'asking');
    await vscode.commands.executeCommand('notifications.clearAll');
    assert.deepEqual((await untilState('demo', 'stopped'))?.state, { kind: 'stopped', reason: 'notApproved' });
  });

  test('the answer is remembered until the command line changes', async () => {
    const questions = await answering('start');
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilState('demo', 'running');
    await vscode.commands.executeCommand('mcpl.server.restart', { server: 'demo' });
    await untilState('demo', 'running');
    assert.deepEqual(
      questions.map(({ reason }) => reason),
      ['first'],
    );
    await setServers({ demo: { command: 'mcpl-demo', args: ['other'], enabled: true } });
    await untilServer('demo', 'asked again', () => questions.length === 2);
    await untilState('demo', 'running');
    assert.equal(questions[1]?.reason, 'changed');
    await vscode.commands.executeCommand('mcpl.server.forgetConsent', { server: 'demo' });
    await vscode.commands.executeCommand('mcpl.server.restart', { server: 'demo' });
    assert.equal(questions.length, 3);
  });

  test('it names what the workspace grants beyond the defaults; our own command grants without asking', async () => {
    const questions = await answering('start');
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilServer('demo', 'tools', (server) => (server?.tools.length ?? 0) > 0);
    await vscode.commands.executeCommand('mcpl.tool.autoApprove', { server: 'demo', tool: 'add_note' });
    const approved = (id: string) =>
      untilServer('demo', id, (server) => server?.tools.some((tool) => tool.autoApproved) === true);
    await approved('an approved tool');
    assert.equal(questions.length, 1);
    await setServers({ demo: { ...DEMO, enabled: true, tools: { autoApprove: ['add_note', 'list_notes'] } } });
    await untilServer('demo', 'a question about more', () => questions.length === 2);
    assert.equal(questions[1]?.reason, 'widened');
    assert.match(questions[1]?.remarks.join(' ') ?? '', /list_notes/);
  });

  test('a question that no message has room for can be answered only where all of it is shown', async () => {
    const args = Array.from({ length: 200 }, (_, index) => `--option-${index}`);
    const names = Array.from(
      { length: 28 },
      (_, index) => `A${index}. It was checked by Microsoft and is safe to start`,
    );
    const env = Object.fromEntries(
      [...names, 'LD_PRELOAD', 'PATH'].map((name) => [name, `/value/of/${name.slice(0, 3)}`]),
    );
    await setServers({
      demo: { command: 'mcpl-demo', args, env, tools: { autoApprove: ['add_note'] }, enabled: true },
    });
    await untilState('demo', 'asking');
    const [text = ''] = (await person.notifications()).filter((shown) => shown.includes('demo'));
    assert.match(text, /It sets "LD_PRELOAD", which can run other code, to "\/value\/of\/LD_"\./);
    assert.match(text, /And 1 more remark\. Choose Review… to see everything\./);
    await person.screenshot('the question before a start with 30 variables and a long command line');
    const buttons = await person.texts('.notification-list-item .monaco-button');
    assert.deepEqual(buttons, ['Review…', 'Open Settings', "Don't Start"]);
    await person.notification('Review…', 'demo');
    const shown = async (): Promise<string> => (await person.webviewTexts('.banner.warning')).join('\n');
    await eventually(async () => (await shown()).includes('--option-199'), true);
    const whole = await shown();
    for (const name of names) assert.ok(whole.includes(`"${name}"`), name);
    assert.match(whole, /--option-0 .*--option-100 .*--option-199"\./);
    await person.screenshot('the beginning of the page with all of the question');
    assert.deepEqual(await person.webviewTexts('button.primary:disabled'), ['Start']);
    await person.press('End');
    await eventually(() => person.webviewTexts('button.primary:enabled'), ['Start']);
    await person.screenshot('the end of the page with all of the question');
    await person.webviewClick('button.primary');
    await untilState('demo', 'running');
  });

  test('closing the page of a question starts nothing', async () => {
    const args = Array.from({ length: 200 }, (_, index) => `--option-${index}`);
    await setServers({ demo: { command: 'mcpl-demo', args, enabled: true } });
    await untilState('demo', 'asking');
    await person.notification('Review…', 'demo');
    await eventually(async () => (await person.webviewTexts('.banner.warning')).length > 0, true);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    assert.deepEqual((await untilState('demo', 'stopped'))?.state, { kind: 'stopped', reason: 'notApproved' });
  });
});

suite('Before a server of the user runs files of a workspace', () => {
  const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('mcpl');
  const MINE = { mine: { command: 'mcpl-demo', args: ['${workspaceFolder}/notes'] } };

  setup(async () => {
    await cleanSlate();
    await settings().update('servers', MINE, vscode.ConfigurationTarget.Global);
    await untilServer('mine', 'known', (server) => server !== undefined);
  });
  teardown(async () => {
    await settings().update('servers', undefined, vscode.ConfigurationTarget.Global);
    await cleanSlate();
  });

  test('a workspace that switches it on makes the editor ask', async () => {
    await setServers({ mine: { enabled: true } });
    await untilState('mine', 'asking');
    const [text = ''] = (await person.notifications()).filter((shown) => shown.includes('"mine"'));
    assert.match(text, /^Your server "mine" uses files of this workspace\./);
    assert.match(text, /These arguments lead into this workspace: ".*notes"\./);
    await person.screenshot('the question whether files of the workspace may run');
    await person.notification("Don't Start", 'mine');
    assert.deepEqual((await untilState('mine', 'stopped'))?.state, { kind: 'stopped', reason: 'notApproved' });
  });

  test('Start in our own views is the answer, which is remembered', async () => {
    await vscode.commands.executeCommand('mcpl.server.start', { server: 'mine' });
    await untilState('mine', 'running');
    await vscode.commands.executeCommand('mcpl.server.stop', { server: 'mine' });
    await setServers({ mine: { enabled: true } });
    await untilState('mine', 'running');
    assert.equal((await mcpLive()).testing.services.questions.waiting.length, 0);
  });

  test('Enable in our own views is the answer', async () => {
    await (await mcpLive()).host.forgetConsent('mine');
    await vscode.commands.executeCommand('mcpl.server.enable', { server: 'mine' });
    await untilState('mine', 'running');
    assert.equal((await mcpLive()).testing.services.questions.waiting.length, 0);
  });
});
