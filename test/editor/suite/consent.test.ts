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

  /** Answers in place of a person, and notes what was asked. */
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
    assert.match(text ?? '', /Start the server "demo" that this workspace defines\?/);
    assert.match(text ?? '', /mcpl-demo/);
    assert.match(text ?? '', /\[x\] \(command:workbench\.action\.quit\)/);
    await person.screenshot('the question whether a server may start');
    await person.notification('Start', 'demo');
    await untilState('demo', 'running');
  });

  test('it can be declined, and is asked again when somebody starts it', async () => {
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

  test('a command line that no message has room for is shown whole before it can be allowed', async () => {
    const args = Array.from({ length: 200 }, (_, index) => `--option-${index}`);
    await setServers({ demo: { command: 'mcpl-demo', args, enabled: true } });
    await untilState('demo', 'asking');
    await person.notification('Show Whole Question', 'demo');
    const shown = (): string => vscode.window.activeTextEditor?.document.getText() ?? '';
    await eventually(async () => /--option-0 .*--option-100 .*--option-199/.test(shown()), true);
    await person.notification('Start', 'demo');
    await untilState('demo', 'running');
  });
});
