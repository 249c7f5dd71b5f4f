import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, untilServer, untilState, untilTools, PLAIN_DEMO } from './mcpLive.ts';

const DEMO = PLAIN_DEMO;

const isAlive = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
};

suite('A server of the workspace', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
  });
  teardown(cleanSlate);

  test('runs as soon as it is enabled, and its process is gone when it is disabled', async () => {
    await setServers({ demo: DEMO });
    assert.equal((await untilServer('demo', 'known', (server) => server !== undefined))?.state.kind, 'stopped');
    await setServers({ demo: { ...DEMO, enabled: true } });
    const running = await untilTools('demo');
    const pid = running?.state.kind === 'running' ? running.state.pid : undefined;
    assert.ok(isAlive(pid));
    await setServers({ demo: { ...DEMO, enabled: false } });
    await untilState('demo', 'stopped');
    assert.ok(!isAlive(pid));
  });

  test('is started, restarted and stopped by commands', async () => {
    await setServers({ demo: DEMO });
    await untilServer('demo', 'known', (server) => server !== undefined);
    await vscode.commands.executeCommand('mcpl.server.start', { server: 'demo' });
    const before = (await untilState('demo', 'running'))?.state;
    await vscode.commands.executeCommand('mcpl.server.restart', { server: 'demo' });
    const after = (await untilState('demo', 'running'))?.state;
    assert.ok(before?.kind === 'running' && after?.kind === 'running' && before.pid !== after.pid);
    await vscode.commands.executeCommand('mcpl.server.stop', { server: 'demo' });
    assert.deepEqual((await untilState('demo', 'stopped'))?.state, { kind: 'stopped', reason: 'byUser' });
  });

  test('is asked for where a command is not told which', async () => {
    await setServers({ demo: DEMO, other: DEMO });
    await untilServer('other', 'known', (server) => server !== undefined);
    const started = vscode.commands.executeCommand('mcpl.server.start');
    await person.pick('other');
    await started;
    await untilState('other', 'running');
    assert.equal((await mcpLive()).host.server('demo')?.state.kind, 'stopped');
  });

  test('is offered to be added, or started, where a command has none to list', async () => {
    const said = async (): Promise<readonly string[]> =>
      (await person.notifications()).filter((text) => /^No (server|running server) /.test(text));
    await vscode.commands.executeCommand('mcpl.chooseFeatureSets');
    await eventually(said, ['No server is set up yet. Add one first.']);
    assert.deepEqual(await person.texts('.notification-list-item .monaco-button'), ['Add Server…']);
    await vscode.commands.executeCommand('notifications.clearAll');

    await setServers({ demo: DEMO });
    await untilServer('demo', 'known', (server) => server !== undefined);
    const next = {
      'mcpl.prompt.get': 'No running server offers prompts. Start one first.',
      'mcpl.tool.call': 'No running server offers tools. Start one first.',
      'mcpl.server.stop': 'No server is running, so there is nothing to stop.',
      'mcpl.server.setLogLevel': 'No running server has a log level. Start one first.',
      'mcpl.chooseFeatureSets': 'No running server offers feature sets. Start one first.',
    };
    for (const [command, text] of Object.entries(next)) {
      await vscode.commands.executeCommand('notifications.clearAll');
      await vscode.commands.executeCommand(command);
      await eventually(said, [text]);
    }
    await person.screenshot('a command that has no server to list');
    await person.notification('Start Server…', 'feature sets');
    await person.pick('demo');
    await untilTools('demo');

    await vscode.commands.executeCommand('mcpl.chooseFeatureSets');
    await eventually(said, ['No running server offers feature sets.']);
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('mcpl.server.start');
    await eventually(() => person.notifications(), ['All servers are running already.']);
  });

  test('that stops during startup says so with its last words', async () => {
    const script = 'console.error("API_KEY is not set"); process.exit(3)';
    await setServers({ exits: { command: process.execPath, args: ['-e', script], enabled: true } });
    await untilState('exits', 'failed');
    const said = async (): Promise<readonly string[]> =>
      (await person.notifications()).filter((text) => text.includes('"exits"'));
    await eventually(said, [
      'The server "exits" stopped during startup (exit code 3): “API_KEY is not set”. See the server\'s log, then start it again.',
    ]);
    await person.screenshot('a server that stops during startup');
  });

  test('is enabled and disabled in the workspace settings by commands', async () => {
    await setServers({ demo: DEMO });
    await untilServer('demo', 'known', (server) => server !== undefined);
    await vscode.commands.executeCommand('mcpl.server.enable', { server: 'demo' });
    await untilState('demo', 'running');
    await vscode.commands.executeCommand('mcpl.server.disable', { server: 'demo' });
    await untilState('demo', 'stopped');
    assert.deepEqual(vscode.workspace.getConfiguration().inspect('mcpl.servers')?.workspaceValue, {
      demo: { ...PLAIN_DEMO, enabled: false },
    });
  });

  test('that cannot start says why, and what to do next', async () => {
    await setServers({ broken: { command: 'mcpl-no-such-command', enabled: true } });
    const server = await untilState('broken', 'failed');
    assert.ok(server?.state.kind === 'failed');
    assert.equal(server.state.error.code, 'COMMAND_NOT_FOUND');
    await person.notification('Open Settings', 'mcpl-no-such-command');
    await vscode.commands.executeCommand('notifications.clearAll');
    await untilActive('settings.json');
  });

  test('has a log channel with its stderr, which shows on request', async () => {
    await setServers({ demo: { ...DEMO, enabled: true } });
    await untilTools('demo');
    await vscode.commands.executeCommand('mcpl.server.showLog', { server: 'demo' });
    await person.waitFor('.panel .output-view, .panel .output-view-content, .panel [id*="output"]');
    await person.screenshot('the log of a server');
    await vscode.commands.executeCommand('workbench.action.closePanel');
  });
});

const untilActive = async (name: string): Promise<void> => {
  const isActive = (): boolean => vscode.window.activeTextEditor?.document.uri.path.endsWith(name) === true;
  for (let tries = 0; !isActive() && tries < 50; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(isActive(), `${name} is not the active editor`);
};
