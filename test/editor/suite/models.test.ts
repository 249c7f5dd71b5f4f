import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { cleanSlate, mcpLive, readSettings, setServers, untilServer } from './mcpLive.ts';

const ITEM = '[id="mcp-live.mcp-live.mcpl.status"]';
const page = (): string => vscode.window.activeTextEditor?.document.getText() ?? '';
const lineOf = (start: string): string | undefined =>
  page()
    .split('\n')
    .find((line) => line.startsWith(start));

const startMemory = async (inference: object): Promise<void> => {
  const sets = ['memory.consolidation'];
  const entry = { command: 'mcpl-demo', args: ['memory'], enabled: true, featureSets: { enabled: sets }, inference };
  await setServers({ memory: entry });
  await untilServer('memory', 'with its set on', (server) =>
    (server?.mcpl?.sets ?? []).some(({ set, state }) => set.name === sets[0] && state === 'enabled'),
  );
};

/** Records a use of the model by the server. */
const use = async (server: string | undefined, tokens: number): Promise<void> => {
  const { host } = await mcpLive();
  host.modelUses.record({
    server,
    route: server === undefined ? 'chat' : 'sampling',
    at: Date.now(),
    durationMs: 5,
    model: 'fake/sees',
    usage: { inputTokens: tokens - 1, outputTokens: 1 },
    outcome: 'success',
  });
};

suite('The use of language models', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await fakeModel();
    await selectFake();
  });
  teardown(cleanSlate);

  test('is a row of its server, a count in the status bar, and one page of who used what', async () => {
    await startMemory({ requestsPerHour: 2, tokensPerDay: 50_000 });
    await person.openContainer('MCP Live');
    await person.clickTreeItem('memory', 'expand');
    const rows = async (): Promise<readonly string[]> =>
      (await person.treeRows()).filter((row) => row.includes('Language Models'));
    await eventually(rows, ['  Language Models 0 of 2 requests this hour, 0 of 50,000 tokens today']);
    await use('memory', 1_234);
    await use(undefined, 40);
    await eventually(rows, ['  Language Models 1 of 2 requests this hour, 1,234 of 50,000 tokens today']);
    await vscode.commands.executeCommand('mcpl.showLanguageModelUse');
    await eventually(
      async () => lineOf('memory')?.replace(/ +/g, ' '),
      'memory the first of the editor 1 of 2 1,234 of 50,000',
    );
    assert.match(page(), /^Servers may not use language models on their own in this workspace\./);
    assert.match(page(), /\nWithin a day\n(who.*)\n(memory|you) /);
    assert.match(page(), /\nyou +chats with @mcpl +fake\/sees +\d+ +[\d,]+ +\d{4}-/);
    assert.match(page(), /\nmemory +sampling +fake\/sees +1 +1,234 +\d{4}-/);
    // The open page updates, and shows when the budget is used up.
    await use('memory', 766);
    await eventually(
      async () => lineOf('memory')?.includes('2 of 2') === true && page().includes('2,000 of 50,000'),
      true,
    );
    await eventually(async () => (await person.texts(ITEM)).map((text) => text.replace(/\s+/g, ' ').trim()), ['1 1']);
    await eventually(rows, ['  Language Models used up · 2 of 2 requests this hour, 2,000 of 50,000 tokens today']);
    await person.screenshot('who used which language models');
    await person.click(ITEM);
    const labels = (): Promise<readonly string[]> => person.texts('.quick-input-list .monaco-list-row .label-name');
    await eventually(async () => (await labels()).includes('Show Language Model Use'), true);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  });

  test('is on the model that the user chose for the server, until they choose none again', async () => {
    await startMemory({ requestsPerHour: 5 });
    const { host } = await mcpLive();
    const model = (): string | undefined => host.server('memory')?.definition?.mcpl.inference.model;
    const choosing = vscode.commands.executeCommand('mcpl.chooseLanguageModel', { server: 'memory' });
    await person.waitFor('.quick-input-list .monaco-list-row');
    await eventually(async () => (await person.treeRows())[0]?.startsWith('memory running'), true);
    await person.screenshot('a language model for a server');
    await person.pick('Fake reads');
    await choosing;
    await untilServer('memory', 'with its model', () => model() === 'fake/reads');
    assert.deepEqual(JSON.parse(await readSettings())['mcpl.servers'].memory.inference, {
      requestsPerHour: 5,
      model: 'fake/reads',
    });
    await eventually(async () => host.modelUses.budget('memory')?.model, 'fake/reads');
    const again = vscode.commands.executeCommand('mcpl.chooseLanguageModel', { server: 'memory' });
    await person.pick('First Model of the Editor');
    await again;
    await untilServer('memory', 'without one', () => model() === undefined);
    assert.deepEqual(JSON.parse(await readSettings())['mcpl.servers'].memory.inference, { requestsPerHour: 5 });
  });

  test('is withdrawn by a command, with a way back', async () => {
    await vscode.commands.executeCommand('mcpl.withdrawLanguageModelUse');
    await eventually(
      async () => (await person.notifications()).some((text) => text.includes('were not allowed to use')),
      true,
    );
  });
});
