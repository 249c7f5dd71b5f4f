import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, readSettings, until } from './mcpLive.ts';
import { push, startPushServer } from './pushServer.ts';

const ALICE = 'You mentioned following up with Alice today';
const rows = async (): Promise<readonly string[]> =>
  (await person.treeRows()).filter((row) => /event|now|min|Origin|\.png|memory:\/\//.test(row));
/** A toast may still be visible while the notification centre already shows the same. */
const told = (...messages: readonly string[]): Promise<void> =>
  eventually(
    async () => [...new Set(await person.notifications())].filter((each) => each.startsWith('memory:')),
    messages,
  );
const activeText = (): string => vscode.window.activeTextEditor?.document.getText() ?? '';
const activeName = async (): Promise<string | undefined> => {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const uri = input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
  return uri === undefined ? undefined : `${uri.scheme}:${uri.path}`;
};

suite('Push events', () => {
  setup(async () => {
    await cleanSlate();
    const { host, testing } = await mcpLive();
    testing.answerConsent(async () => 'start');
    await host.events.clear();
    await startPushServer();
  });
  teardown(async () => {
    await (await mcpLive()).host.events.clear();
    await cleanSlate();
  });

  test('arrive in the view and as a notification, which opens them', async () => {
    const { host } = await mcpLive();
    assert.deepEqual(await push(ALICE), { accepted: true });
    await told(`memory: ${ALICE}`);
    await vscode.commands.executeCommand('mcpl.events.focus');
    await eventually(rows, ['memory 1 event · 1 unread', `  ${ALICE} now · source: conversation`]);
    await person.screenshot('an event that arrived');
    await person.notification('Show', ALICE);
    await eventually(activeName, `mcpl-event:/memory/${ALICE}.txt`);
    // The tab appears before its content.
    await eventually(async () => activeText() !== '', true);
    assert.match(
      activeText(),
      /^Server {7}memory\nFeature set {2}memory\.reminders\nHappened {5}2026-11-18T16:00:00Z\n/,
    );
    assert.match(activeText(), /\nOrigin {7}\{"source":"conversation"\}\n\nContent\n {2}You mentioned/);
    await eventually(async () => host.events.unread, 0);
    await eventually(async () => (await rows())[0], 'memory 1 event');
  });

  test('of a burst are one notification, and all of them in the view', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, i) => push(`Number ${i}`)));
    await told('memory: 12 events');
    await person.notification('Show', '12 events');
    await eventually(async () => (await rows())[0], 'memory 12 events · 12 unread');
    await vscode.commands.executeCommand('mcpl.markEventsRead');
    await eventually(async () => (await rows())[0], 'memory 12 events');
    await vscode.commands.executeCommand('mcpl.clearEvents');
    await eventually(rows, []);
  });

  test('show what they hold of every kind, and open what can be opened', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await push([
      { type: 'text', text: 'With a picture' },
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'resource_link', uri: 'memory://known', name: 'known' },
      { type: 'hologram', size: 3 },
    ]);
    const { host } = await mcpLive();
    await until(host.events.onDidChange, 'the event', () => host.events.list().length === 1);
    const [event] = host.events.list();
    const open = (rest: object): Thenable<unknown> =>
      vscode.commands.executeCommand('mcpl.openEvent', { server: 'memory', event: event?.id, ...rest });
    await open({});
    await eventually(activeName, 'mcpl-event:/memory/With a picture.txt');
    await eventually(async () => activeText() !== '', true);
    assert.match(activeText(), /\[image image\/png, \d+ bytes\][^]*\[resource known\] memory:\/\/known[^]*hologram/);
    const document = vscode.window.activeTextEditor?.document;
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      document?.uri,
    );
    assert.deepEqual(
      links.filter(({ target }) => target?.scheme === 'command').map(({ range }) => document?.getText(range)),
      ['image-2.png', 'memory://known'],
    );
    await open({ block: 1 });
    await eventually(activeName, 'mcpl-event:/memory/image-2.png');
    await open({ block: 2 });
    await eventually(activeName, 'mcpl-resource:/known.txt');
    await eventually(async () => activeText(), 'What is known');
  });

  test('that a model could not look at say so in their row, and not in an error as well', async () => {
    const { host } = await mcpLive();
    await push(ALICE);
    await told(`memory: ${ALICE}`);
    // The use of a model cannot be allowed here, because this editor refuses modal dialogs in tests.
    await person.notification('Ask Model', ALICE);
    await eventually(async () => host.events.list()[0]?.outcome.kind, 'failed');
    await eventually(
      async () => (await person.notifications()).some((each) => each.startsWith('The permission for language models')),
      true,
    );
    await person.clickTreeItem(ALICE, 'expand');
    await eventually(async () => (await person.treeRows()).some((row) => row.startsWith('    No answer: ')), true);
    assert.deepEqual(
      (await person.notifications()).filter((each) => each.startsWith('No model answered')),
      [],
    );
  });

  test('of a muted set stay in the view without notifications; Undo unmutes it', async () => {
    await push(ALICE);
    await told(`memory: ${ALICE}`);
    await person.notification('Mute', ALICE);
    const { host } = await mcpLive();
    const policy = async (): Promise<string | undefined> =>
      host.server('memory')?.mcpl?.sets.find(({ set }) => set.name === 'memory.reminders')?.push;
    await eventually(policy, 'inbox');
    assert.match(await readSettings(), /"push": \{\s+"memory\.reminders": "inbox"\s+\}/);
    await push('Silent');
    await push('Loud', { featureSet: 'memory.news' });
    await told('memory: Loud');
    assert.equal(host.events.list().length, 3);
    await person.notification('Undo', 'Muted');
    await eventually(policy, 'notify');
  });

  test('are there after the server is stopped and gone', async () => {
    const { host } = await mcpLive();
    await push(ALICE);
    await host.stop('memory');
    const [event] = host.events.list();
    await vscode.commands.executeCommand('mcpl.openEvent', { server: 'memory', event: event?.id });
    await eventually(async () => activeText().includes(ALICE), true);
    await host.events.clear();
    const opened = vscode.commands.executeCommand('mcpl.openEvent', { server: 'memory', event: event?.id });
    await eventually(
      async () => (await person.notifications()).some((each) => each.startsWith('The event cannot be opened')),
      true,
    );
    await opened;
  });
});
