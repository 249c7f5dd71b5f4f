import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { keptState } from '../../../src/core/index.ts';
import { lineageServer } from '../lineageServerEntry.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { cleanSlate, mcpLive, setServers, untilTools } from './mcpLive.ts';

const ANSWER = '.interactive-response .value';
const lastAnswer = async (): Promise<string> => ((await person.texts(ANSWER)).at(-1) ?? '').replace(/\s+/g, ' ');

const isListed = async (): Promise<boolean> => vscode.lm.tools.some(({ name }) => /^mcp_.*_edit$/.test(name));

suite('A call that an agent of the editor makes through the gateway', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await fakeModel();
    await selectFake();
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
  });
  teardown(cleanSlate);

  test('waits for the approval of what it would touch, and leaves a checkpoint that belongs to its chat', async () => {
    const { host } = await mcpLive();
    await setServers({ agent: { ...lineageServer('scoped'), tools: { autoApprove: ['edit'] } } });
    await untilTools('agent');
    await eventually(isListed, true);
    const calls: string[] = [];
    const listening = host.onDidChangeOperation(({ request, state }) => {
      const kept = state.kind === 'succeeded' ? keptState(state.result) : undefined;
      calls.push(`${request.route} ${request.tool} ${state.kind} ${kept?.kind ?? '-'}`);
    });
    const query = '@fake call edit {"path": "/etc/motd", "text": "Welcome"}';
    await vscode.commands.executeCommand('workbench.action.chat.open', { query, isPartialQuery: false });
    await eventually(
      async () => (await person.notifications()).some((text) => /agent.*wants.*\/etc\/motd/.test(text)),
      true,
    );
    await person.screenshot('a call of an agent that waits for an approval');
    assert.deepEqual([calls.some((call) => call.includes('succeeded')), host.lineages.list()], [false, []]);
    await person.notification('Allow Once', '/etc/motd');
    await eventually(async () => /The tool answered: null/.test(await lastAnswer()), true);
    listening.dispose();
    assert.equal(calls.at(-1), 'gateway edit succeeded kept');
    await eventually(
      async () => host.lineages.list().map(({ server, featureSet, count }) => [server, featureSet, count]),
      [['agent', 'notes.edit', 1]],
    );
    const [checkpoint] = await host.lineages.find('agent', 'chk_1');
    assert.ok((checkpoint?.conversation ?? '') !== '', 'it knows its chat');
    await vscode.commands.executeCommand('mcpl.openLineage', { server: 'agent', featureSet: 'notes.edit' });
    await eventually(
      async () => (await person.webviewTexts('[role="treeitem"] .label')).some((text) => text.includes('chk_1')),
      true,
    );
    await person.screenshot('the checkpoint of a call that an agent made');
  });
});
