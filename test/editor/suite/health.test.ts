import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isHostError } from '../../../src/core/index.ts';
import { person } from '../person.ts';
import { silentServer } from '../silentServerEntry.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, untilServer, untilTools } from './mcpLive.ts';

const rows = async (): Promise<readonly string[]> =>
  (await person.treeRows()).filter((row) => /^(busy|quiet) |Cancel Call|Restart Server/.test(row.trim()));

suite('A server that says nothing', function () {
  // It is pinged after 30 seconds, with a timeout of ten for each of three pings.
  this.timeout(240_000);
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
  });
  teardown(cleanSlate);

  test('is shown as busy while it works on a call, which can be cancelled, and as not responding otherwise', async () => {
    const { host } = await mcpLive();
    await setServers({ busy: { ...silentServer, timeouts: { call: 3_600 } }, quiet: silentServer });
    await Promise.all([untilTools('busy'), untilTools('quiet')]);
    await vscode.commands.executeCommand('mcpl.servers.focus');
    const call = host
      .callTool({ server: 'busy', tool: 'work', args: { what: 'all' }, route: 'command' })
      .then(() => 'answered')
      .catch((error: unknown) => (isHostError(error) ? error.code : String(error)));
    await Promise.all([
      untilServer('busy', 'busy', (server) => server?.health?.kind === 'busy', 120_000),
      untilServer('quiet', 'not responding', (server) => server?.health?.kind === 'notResponding', 120_000),
    ]);
    await person.clickTreeItem('busy', 'expand');
    await person.clickTreeItem('quiet', 'expand');
    await eventually(rows, [
      'busy busy for 1 min · 1 tool · 2025-11-25',
      '  Cancel Call running for 1 min',
      'quiet not responding · 1 tool · 2025-11-25',
      '  Restart Server no answer to 3 pings',
    ]);
    await person.screenshot('servers that say nothing');
    await person.resizeSideBar('220');
    await person.screenshot('servers that say nothing in a narrow side bar');
    await person.resizeSideBar('300');
    await vscode.commands.executeCommand('mcpl.server.cancelCall', { server: 'busy' });
    assert.equal(await call, 'CANCELLED');
    await untilServer('busy', 'not responding', (server) => server?.health?.kind === 'notResponding', 60_000);
    await vscode.commands.executeCommand('mcpl.server.restart', { server: 'quiet' });
    await untilServer(
      'quiet',
      'running again',
      (server) => server?.state.kind === 'running' && server.health === undefined,
    );
    await person.screenshot('a server that was restarted');
  });
});
