import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { cleanSlate, mcpLive, setServers, untilServer, untilTools, PLAIN_DEMO } from './mcpLive.ts';

const named = (name: string): vscode.LanguageModelToolInformation | undefined =>
  vscode.lm.tools.find((tool) => tool.name.startsWith('mcp_') && tool.name.endsWith(name));

const until = async (what: string, test: () => boolean): Promise<void> => {
  for (let tries = 0; !test(); tries++) {
    if (tries > 200)
      throw new Error(`Waited for ${what}; there are: ${vscode.lm.tools.map((tool) => tool.name).join()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

suite('The tools of a running server', () => {
  setup(async () => {
    await cleanSlate();
    // The editor takes back what an earlier test offered on its own time.
    await until('no tool of an earlier test', () => named('add_note') === undefined);
    (await mcpLive()).testing.answerConsent(async () => 'start');
  });
  teardown(cleanSlate);

  test('are among the tools of the editor, and a call reaches the server', async () => {
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true } });
    await untilTools('demo');
    await until('add_note among the tools of the editor', () => named('add_note') !== undefined);
    const tool = named('add_note');
    assert.ok(tool !== undefined);
    const { host } = await mcpLive();
    const routes: string[] = [];
    const listening = host.onDidChangeOperation(({ request, state }) => routes.push(`${request.route} ${state.kind}`));
    const input = { title: 'Shopping', text: 'Bread' };
    const result = await vscode.lm.invokeTool(tool.name, { input, toolInvocationToken: undefined });
    listening.dispose();
    const text = result.content
      .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''))
      .join('');
    assert.match(text, /Shopping/);
    assert.ok(routes.includes('gateway succeeded'), routes.join());
  });

  test('are no longer offered when they are hidden', async () => {
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true } });
    await untilTools('demo');
    await until('add_note', () => named('add_note') !== undefined);
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true, tools: { hidden: ['add_note'] } } });
    await untilServer('demo', 'a hidden tool', (server) => server?.tools.some((tool) => !tool.offered) === true);
    await until('no add_note', () => named('add_note') === undefined);
    assert.ok(named('list_notes') !== undefined);
  });
});
