import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
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
