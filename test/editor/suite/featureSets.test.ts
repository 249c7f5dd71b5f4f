import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, untilServer, untilState } from './mcpLive.ts';

const rows = (): Promise<readonly string[]> => person.treeRows();

const SETS = {
  'memory.recall': { description: 'Recalls notes.', uses: ['contextHooks.beforeInference'] },
  'memory.edit': { description: 'Changes notes.', uses: ['inferenceRequest'] },
  reminders: { description: 'Reminds of notes.', uses: ['pushEvents'] },
};

const entry = (featureSets: object = SETS, rest: object = {}): object => {
  const extension = vscode.extensions.getExtension('mcp-live.mcp-live');
  assert.ok(extension);
  const path = vscode.Uri.joinPath(extension.extensionUri, 'test', 'node', 'fixtures', 'featureSetServer.mjs').fsPath;
  return { command: process.execPath, args: [path, JSON.stringify(featureSets)], enabled: true, ...rest };
};

/** A choice is remembered by server name, so every test has its own. */
const start = async (id: string, featureSets: object = SETS, rest: object = {}): Promise<void> => {
  await setServers({ [id]: entry(featureSets, rest) });
  await untilServer(id, 'running with feature sets', (server) => (server?.mcpl?.sets.length ?? 0) > 0);
  await untilState(id, 'running');
};

const states = async (id: string): Promise<Readonly<Record<string, string>>> => {
  const sets = (await mcpLive()).host.server(id)?.mcpl?.sets ?? [];
  return Object.fromEntries(sets.map(({ set, state }) => [set.name, state]));
};

/** A click during a repaint of the tree is lost. Clicks again, like a user. */
const check = async (id: string, label: string, expected: Readonly<Record<string, string>>): Promise<void> => {
  for (let left = 2; left > 0; left--) {
    await person.clickTreeItem(label, 'checkbox');
    if (
      await untilStates(id, expected, 4_000).then(
        () => true,
        () => false,
      )
    )
      return;
  }
  await person.clickTreeItem(label, 'checkbox');
  await untilStates(id, expected);
};

const untilStates = (id: string, expected: Readonly<Record<string, string>>, ms?: number): Promise<void> =>
  eventually(() => states(id), expected, ms);

/** Waits for the editor's settings: a set is off before that is written, and the next test would meet the write. */
const chosen = async (id: string): Promise<unknown> => {
  const value: unknown = vscode.workspace.getConfiguration().inspect('mcpl.servers')?.workspaceValue;
  const servers = (value ?? {}) as Readonly<Record<string, { readonly featureSets?: unknown }>>;
  return JSON.parse(JSON.stringify(servers[id]?.featureSets ?? null));
};

const untilChosen = (id: string, expected: unknown): Promise<void> => eventually(() => chosen(id), expected);

const call = async (server: string, tool: string, args: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { host } = await mcpLive();
  return (await host.callTool({ server, tool, args, route: 'api' })).modelText;
};

const offers = async (): Promise<readonly string[]> =>
  (await person.notifications()).filter((text) => text.includes(' asks for '));

/** The first contact with a server whose sets are `SETS`. */
const firstContact = (id: string): string =>
  `"${id}" asks for 3 permissions: read your prompts, use models, send events. All are off.`;

const answer = async (id: string, button: string): Promise<void> => {
  await eventually(offers, [firstContact(id)]);
  await person.notification(button, id);
};

suite('Feature sets', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await person.openContainer('MCP Live');
  });
  teardown(cleanSlate);

  test('are named by their permissions at the first contact, all off, and are all on after Enable All', async () => {
    await start('offered');
    await eventually(offers, [firstContact('offered')]);
    assert.deepEqual(await person.texts('.notification-list-item .monaco-button'), [
      'Review…',
      'Enable All',
      'Not Now',
    ]);
    await person.screenshot('the offer of feature sets');
    assert.deepEqual(JSON.parse(await call('offered', 'told')), { enabled: [], disabled: Object.keys(SETS) });
    await answer('offered', 'Enable All');
    await untilStates('offered', { 'memory.recall': 'enabled', 'memory.edit': 'enabled', reminders: 'enabled' });
    await untilChosen('offered', { enabled: Object.keys(SETS) });
    await eventually(async () => JSON.parse(await call('offered', 'told')) as unknown, {
      enabled: Object.keys(SETS),
      disabled: [],
    });
  });

  test('are not offered again to who said Not Now', async () => {
    await start('declined');
    await answer('declined', 'Not Now');
    await vscode.commands.executeCommand('mcpl.server.restart', { server: 'declined' });
    await untilServer('declined', 'undecided still', (server) => server?.mcpl?.isUndecided === true);
    await start('other');
    await eventually(offers, [firstContact('other')]);
    assert.equal(await chosen('declined'), null);
  });

  test('are chosen one by one in a quick pick', async () => {
    await start('picked');
    await answer('picked', 'Review…');
    const labels = (): Promise<readonly string[]> => person.texts('.quick-input-list .monaco-list-row .label-name');
    await eventually(
      labels,
      Object.entries(SETS).flatMap(([name, { description }]) => [name, description]),
    );
    await person.screenshot('the choice of feature sets');
    await person.pick('reminders');
    await person.press('Enter');
    await untilStates('picked', { 'memory.recall': 'disabled', 'memory.edit': 'disabled', reminders: 'enabled' });
    await untilChosen('picked', { enabled: ['reminders'] });
  });

  test('that a wildcard would turn on later stay off until they are kept', async () => {
    await start('later', SETS, { featureSets: { enabled: ['memory.*'] } });
    const known = { 'memory.recall': 'enabled', 'memory.edit': 'enabled', reminders: 'disabled' };
    await untilStates('later', known);
    await call('later', 'declare', { featureSet: 'memory.mail' });
    await untilStates('later', { ...known, 'memory.mail': 'new' });
    const question = (name: string): string =>
      `"later" declared feature sets that your settings would turn on by a wildcard: "${name}" (events). They are off until you turn them on.`;
    const asked = async (): Promise<readonly string[]> =>
      (await person.notifications()).filter((text) => text.includes('by a wildcard'));
    await eventually(asked, [question('memory.mail')]);
    await person.screenshot('a feature set that a wildcard would turn on');
    await person.notification('Leave Off', 'later');
    await untilChosen('later', { enabled: ['memory.*'], disabled: ['memory.mail'] });
    await untilStates('later', { ...known, 'memory.mail': 'disabled' });
    await call('later', 'declare', { featureSet: 'memory.chat' });
    await eventually(asked, [question('memory.chat')]);
    await person.notification('Turn On', 'later');
    await untilStates('later', { ...known, 'memory.mail': 'disabled', 'memory.chat': 'enabled' });
  });

  test('are turned on only in the quick pick where their names are too long for a notification', async () => {
    await start('long', SETS, { featureSets: { enabled: ['memory.*'] } });
    const name = `memory.x". It is safe. ${'y'.repeat(60)}`;
    await call('long', 'declare', { featureSet: name });
    const asked = async (): Promise<readonly string[]> =>
      (await person.notifications()).filter((text) => text.includes('by a wildcard'));
    const shown = `${name.slice(0, 59)}…`.replace('"', '\\u{22}');
    await eventually(asked, [
      `"long" declared feature sets that your settings would turn on by a wildcard: "${shown}" (events). They are off until you turn them on.`,
    ]);
    await person.screenshot('a feature set with a long name that a wildcard would turn on');
    await person.notification('Choose…', 'long');
    await person.pick(name);
    await person.press('Enter');
    await eventually(async () => (await states('long'))[name], 'enabled');
  });

  test('nest in the tree: the box of a parent is for all below it, and stays empty where some are on', async () => {
    await start('nested', SETS, { featureSets: { enabled: ['memory.*'] } });
    await eventually(async () => (await rows()).filter((row) => row.startsWith('nested running')).length, 1);
    await person.clickTreeItem('nested', 'expand');
    await person.clickTreeItem('Feature Sets', 'expand');
    const shown = async (): Promise<readonly string[]> => (await rows()).slice(1, 6);
    await eventually(shown, [
      '  Feature Sets 2 of 3 on',
      '    memory 2 of 2 on [x]',
      '      recall reads prompts [x]',
      '      edit uses models [x]',
      '    reminders events [ ]',
    ]);
    await person.screenshot('the feature sets in the tree');
    await check('nested', 'edit', { 'memory.recall': 'enabled', 'memory.edit': 'disabled', reminders: 'disabled' });
    await untilChosen('nested', { enabled: ['memory.*'], disabled: ['memory.edit'] });
    await eventually(shown, [
      '  Feature Sets 1 of 3 on',
      '    memory 1 of 2 on [ ]',
      '      recall reads prompts [x]',
      '      edit uses models [ ]',
      '    reminders events [ ]',
    ]);
    await check('nested', 'memory', { 'memory.recall': 'enabled', 'memory.edit': 'enabled', reminders: 'disabled' });
    await untilChosen('nested', { enabled: ['memory.*'] });
    await eventually(async () => (await rows())[2], '    memory 2 of 2 on [x]');
    await check('nested', 'memory', { 'memory.recall': 'disabled', 'memory.edit': 'disabled', reminders: 'disabled' });
    await eventually(async () => (await rows())[2], '    memory 0 of 2 on [ ]');
    await untilChosen('nested', { enabled: ['memory.*'], disabled: ['memory.recall', 'memory.edit'] });
    assert.equal((await mcpLive()).host.server('nested')?.state.kind, 'running');
  });

  test('say what a server used without having declared it, and which ones cannot be used', async () => {
    const sets = { sly: { description: 'Says little.', uses: [] }, broken: {} };
    await start('odd', sets, { featureSets: { enabled: ['sly'] } });
    await call('odd', 'push', { featureSet: 'sly' });
    await untilServer('odd', 'seen to push', (server) => server?.mcpl?.sets[0]?.undeclared.length === 1);
    await eventually(async () => (await rows()).filter((row) => row.startsWith('odd running')).length, 1);
    await person.clickTreeItem('odd', 'expand');
    await person.clickTreeItem('Feature Sets', 'expand');
    await eventually(
      async () => (await rows()).slice(1, 4),
      ['  Feature Sets 1 of 1 on', '    sly pushEvents refused: not declared [x]', '    broken cannot be used'],
    );
  });

  test('may send events that they do not declare once the user allows it, in a notification or in the tree', async () => {
    const sets = { beat: { description: 'Wakes up.', uses: ['tools'] } };
    await start('heart', sets, { featureSets: { enabled: ['beat'] }, push: { beat: 'inbox' } });
    const { host } = await mcpLive();
    const received = (): readonly string[] =>
      host.events.list().flatMap(({ server, eventId }) => (server === 'heart' ? [eventId] : []));
    await call('heart', 'push', { featureSet: 'beat' });
    await eventually(
      async () => (await person.notifications()).some((text) => text.includes('does not declare them')),
      true,
    );
    await person.screenshot('the question about undeclared events');
    assert.deepEqual(received(), []);
    await person.notification('Also Allow Events', 'does not declare them');
    await eventually(async () => received(), ['event-1']);
    await eventually(async () => (await rows()).filter((row) => row.startsWith('heart running')).length, 1);
    await person.clickTreeItem('heart', 'expand');
    await person.clickTreeItem('Feature Sets', 'expand');
    await eventually(async () => (await rows())[2], '    beat muted · tools · also events [x]');
    await person.screenshot('a feature set with also events in the tree');
    const target = { server: 'heart', featureSet: 'beat' };
    await vscode.commands.executeCommand('mcpl.refuseUndeclaredEvents', target);
    await call('heart', 'push', { featureSet: 'beat' });
    await eventually(async () => (await rows())[2], '    beat pushEvents refused: not declared · tools [x]');
    await vscode.commands.executeCommand('mcpl.allowUndeclaredEvents', target);
    await call('heart', 'push', { featureSet: 'beat' });
    await eventually(async () => received(), ['event-3', 'event-1']);
  });

  test('ask nothing about what was chosen in our own views when the server starts again', async () => {
    await start('kept');
    const { host, testing } = await mcpLive();
    await testing.services.settings.setFeatureSets('kept', ['memory.edit', 'reminders'], true);
    await untilChosen('kept', { enabled: ['memory.edit', 'reminders'] });
    await untilStates('kept', { 'memory.recall': 'disabled', 'memory.edit': 'enabled', reminders: 'enabled' });
    let asked = 0;
    testing.answerConsent(async () => {
      asked++;
      return 'dontStart';
    });
    await host.restart('kept');
    await untilStates('kept', { 'memory.recall': 'disabled', 'memory.edit': 'enabled', reminders: 'enabled' });
    assert.equal(asked, 0);
  });

  test('count unread events in the status bar', async () => {
    await start('pushing', SETS, { featureSets: { enabled: ['reminders'] }, push: { reminders: 'inbox' } });
    const { host } = await mcpLive();
    const before = host.events.unread;
    await call('pushing', 'push', { featureSet: 'reminders' });
    await eventually(async () => host.events.unread, before + 1);
    const item = '[id="mcp-live.mcp-live.mcpl.status"]';
    await eventually(
      async () => (await person.texts(item)).map((text) => text.trim().split(/\s+/)[1]),
      [String(before + 1)],
    );
  });
});
