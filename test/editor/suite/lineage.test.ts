import assert from 'node:assert/strict';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isHostError, type LineageSummary, NO_LOG } from '../../../src/core/index.ts';
import { pageHtml } from '../../../src/editor/shared/webviewPage.ts';
import { openStore } from '../../../src/node/store/sqliteStore.ts';
import { lineageServer } from '../lineageServerEntry.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { fakeModel, selectFake } from './fakeModel.ts';
import { cleanSlate, mcpLive, setServers, until, untilServer, untilTools } from './mcpLive.ts';

const NOTES = { server: 'notes', featureSet: 'notes.edit' };
const ROWS = '[role="treeitem"] .label';

/** Makes the server add a note. Resolves with the state in the call as text. */
const call = async (tool: string, text = ''): Promise<string> => {
  const { host } = await mcpLive();
  return (await host.callTool({ server: 'notes', tool, args: { text }, route: 'api' })).modelText;
};
const notes = async (...texts: readonly string[]): Promise<void> => {
  for (const text of texts) await call('edit', text);
};
const lineage = async (): Promise<LineageSummary | undefined> =>
  (await mcpLive()).host.lineages.list().find(({ server }) => server === 'notes');
const head = async (): Promise<string | undefined> => (await lineage())?.head?.checkpoint;
const untilHead = async (checkpoint: string): Promise<void> => {
  const { host } = await mcpLive();
  await until(host.lineages.onDidChange, `${checkpoint} to be the head`, () =>
    host.lineages.list().some((each) => each.head?.checkpoint === checkpoint),
  );
};
const placeOf = async (checkpoint: string): Promise<number> => {
  const { host } = await mcpLive();
  const [found] = await host.lineages.find('notes', checkpoint);
  assert.ok(found, checkpoint);
  return found.place;
};
const told = (message: RegExp): Promise<void> =>
  eventually(async () => (await person.notifications()).some((text) => message.test(text)), true);
const texts = (selector: string): Promise<readonly string[]> => person.webviewTexts(selector);
const rows = async (): Promise<readonly string[]> => [...(await texts(ROWS))].sort();

const say = async (text: string): Promise<void> => {
  await untilOver();
  await vscode.commands.executeCommand('workbench.action.chat.open', { query: `@mcpl ${text}`, isPartialQuery: false });
};
const lastAnswer = async (): Promise<string> =>
  ((await person.texts('.interactive-response .value .rendered-markdown')).at(-1) ?? '').replace(/\s+/g, ' ').trim();
/** Waits until the turn is over, so that the next one starts at once. */
const untilOver = async (): Promise<void> =>
  eventually(() => person.texts('.interactive-response.chat-response-loading'), []);

/** The editor's dialog first shows its own folder, and validates the typed path before it accepts it. */
const chooseFile = async (file: string): Promise<void> => {
  await person.waitFor('.quick-input-list .monaco-list-row');
  await person.answerInput(file);
  await eventually(async () => {
    const isOpen = (await person.texts('.quick-input-widget')).length > 0;
    if (isOpen) await person.press('Enter');
    return isOpen;
  }, false);
};

/** Answers the next modal questions, because modals are not shown in tests. Returns the questions. */
const answering = async (title: string | undefined): Promise<readonly string[]> => {
  const asked: string[] = [];
  (await mcpLive()).testing.lineage.answerWith(async ({ message, detail, titles }) => {
    asked.push(`${message}\n${detail}\n[${titles.join('] [')}]`);
    return title;
  });
  return asked;
};

/** Starts the server with its set enabled and an empty lineage. */
const started = async (...args: readonly 'own'[]): Promise<void> => {
  const { host } = await mcpLive();
  await setServers({ notes: lineageServer(...args) });
  await untilTools('notes');
  // The set is declared differently than before, so it is allowed again.
  await host.allowFeatureSets('notes', ['notes.edit'], true);
  await untilServer('notes', 'its set on', (server) => server?.mcpl?.sets[0]?.state === 'enabled');
  await host.lineages.loaded();
  if ((await lineage()) !== undefined) await host.lineages.forget(NOTES);
};

/** The file with this window's states, which its store has open. */
const storeFile = async (): Promise<string> => {
  const open = await readdir('/proc/self/fd');
  const links = await Promise.all(open.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return links.find((link) => link.endsWith('/mcpl.sqlite')) ?? assert.fail('No store is open.');
};

suite('The lineage of a feature set', () => {
  setup(async () => {
    await cleanSlate();
    const { testing } = await mcpLive();
    testing.answerConsent(async () => 'start');
    await started();
  });
  teardown(async () => {
    const { host, testing } = await mcpLive();
    testing.lineage.answerWith(undefined);
    if ((await lineage()) !== undefined) await host.lineages.forget(NOTES);
    await cleanSlate();
  });

  test('is a row in the Servers view, and leads to the Lineage view', async () => {
    await notes('a', 'b', 'c');
    await untilHead('chk_3');
    await vscode.commands.executeCommand('mcpl.servers.focus');
    await person.clickTreeItem('notes', 'expand');
    await person.clickTreeItem('Feature Sets', 'expand');
    await eventually(async () => (await person.treeRows()).some((row) => /^ +Checkpoints 3 · chk_3$/.test(row)), true);
    await person.clickTreeItem('Checkpoints');
    await eventually(rows, ['chk_1', 'chk_2', 'chk_3']);
    const ui = await (await mcpLive()).testing.lineage.ui();
    assert.deepEqual(
      ui.controllers.map(({ key }) => key),
      [NOTES],
    );
    await call('edit', 'd');
    await eventually(async () => (await rows()).length, 4);
    await person.screenshot('the lineage view in the side bar');
  });

  test('is in a tab as well', async () => {
    await notes('a', 'b');
    await vscode.commands.executeCommand('mcpl.openLineage', NOTES);
    await eventually(
      async () => vscode.window.tabGroups.activeTabGroup.activeTab?.label,
      'Lineage of notes (notes.edit)',
    );
    await eventually(async () => (await rows()).length, 2);
    await person.screenshot('the lineage in a tab');
    // Like after a window reload, when the editor restores the tab with its saved state.
    const panel = vscode.window.createWebviewPanel('mcpl.lineagePanel', 'Back', vscode.ViewColumn.Beside);
    const state = { key: JSON.stringify(['notes', 'notes.edit']), filter: { text: '', only: 'all' } };
    (await (await mcpLive()).testing.lineage.ui()).restore(panel, state);
    await eventually(async () => panel.title, 'Lineage of notes (notes.edit)');
  });

  test('goes back where the user says so, and the next call begins there', async () => {
    await notes('a', 'b', 'c');
    await untilHead('chk_3');
    const asked = await answering(undefined);
    await vscode.commands.executeCommand('mcpl.rollBack', { place: await placeOf('chk_2') });
    assert.equal(await head(), 'chk_3');
    assert.match(
      asked[0] ?? '',
      /^Roll notes \(notes\.edit\) back to chk_2\?\n[^]*1 checkpoint is left behind, made by edit\./,
    );
    assert.match(asked[0] ?? '', /What is not undone:[^]*\[Roll Back\]$/);
    await answering('Roll Back');
    await vscode.commands.executeCommand('mcpl.rollBack', { place: await placeOf('chk_2') });
    await untilHead('chk_2');
    await told(/^notes \(notes\.edit\) is back at chk_2\. The next checkpoint starts a new branch\.$/);
    assert.equal(await call('edit', 'd'), '{"notes":["a","b"]}');
  });

  test('is gone back in by the palette, which asks for the checkpoint', async () => {
    await notes('a', 'b', 'c');
    await untilHead('chk_3');
    const asked = await answering('Roll Back');
    void vscode.commands.executeCommand('mcpl.rollBack');
    await person.pick('chk_2');
    await untilHead('chk_2');
    assert.match(asked.join(), /^Roll notes \(notes\.edit\) back to chk_2\?/);
    await vscode.commands.executeCommand('mcpl.showLineage', NOTES);
    // The target of the rollback is marked.
    await eventually(() => texts('.row:has(.counted[title="Rolled back to"]) .label'), ['chk_2']);
    await person.screenshot('the mark of a rollback');
  });

  test('if the server keeps the state, calls carry only its checkpoint, and the server names the new one', async () => {
    await setServers({});
    await eventually(async () => (await mcpLive()).host.servers().length, 0);
    await started('own');
    assert.deepEqual(
      [await call('edit', 'a'), await call('edit', 'b'), await call('edit', 'c')],
      ['{}', '{"checkpoint":"chk_1"}', '{"checkpoint":"chk_2"}'],
    );
    await untilHead('chk_3');
    await answering('Roll Back');
    await vscode.commands.executeCommand('mcpl.rollBack', { place: await placeOf('chk_2') });
    await untilHead('chk_2_again');
    await told(
      /^notes \(notes\.edit\) went back, and says that it is now at chk_2_again instead of chk_2\. It continues from there\.$/,
    );
    await vscode.commands.executeCommand('mcpl.showLineage', NOTES);
    await eventually(rows, ['chk_1', 'chk_2', 'chk_2_again', 'chk_3']);
    assert.deepEqual(await texts('.row.head .label'), ['chk_2_again']);
    await person.screenshot('a server that went elsewhere');
    assert.equal(await call('edit', 'd'), '{"checkpoint":"chk_2_again"}');
  });

  test('says that it is being read, and why it cannot be, and is read again on request', async () => {
    await notes('a');
    await untilHead('chk_1');
    const { host } = await mcpLive();
    const reading: { fail?: (error: Error) => void } = {};
    const failing = new Promise<never>((_, reject) => (reading.fail = reject));
    failing.catch(() => undefined);
    Object.defineProperty(host.lineages, 'window', { configurable: true, value: () => failing });
    try {
      await vscode.commands.executeCommand('mcpl.openLineage', NOTES);
      await eventually(async () => (await texts('.message')).join(), 'Loading the lineage…');
      reading.fail?.(new Error('The disk is gone.'));
      await eventually(async () => /The disk is gone\./.test((await texts('.message.failure')).join()), true);
      await person.screenshot('a lineage that cannot be read');
    } finally {
      Reflect.deleteProperty(host.lineages, 'window');
    }
    await person.webviewClick('.message.failure button');
    await eventually(rows, ['chk_1']);
  });

  test('shows what another window records, within a moment', async function () {
    if (process.platform !== 'linux') this.skip();
    await notes('a');
    await vscode.commands.executeCommand('mcpl.openLineage', NOTES);
    await eventually(rows, ['chk_1']);
    const extension = vscode.extensions.getExtension('mcp-live.mcp-live') ?? assert.fail();
    const workerPath = vscode.Uri.joinPath(extension.extensionUri, 'dist', 'storeWorker.js').fsPath;
    // For the file, this is another window: a separate thread and connection.
    const other = openStore({ file: await storeFile(), workerPath, log: NO_LOG });
    try {
      await other.states.record({
        ...NOTES,
        conversation: undefined,
        keeper: 'host',
        checkpoint: 'chk_other',
        parent: 'chk_1',
        base: undefined,
        cause: 'call',
        body: { kind: 'data', text: '{"notes":["elsewhere"]}' },
        at: Date.now(),
        tool: 'edit',
        args: undefined,
      });
      await eventually(rows, ['chk_1', 'chk_other']);
      await untilHead('chk_other');
      assert.equal(await call('edit', 'b'), '{"notes":["elsewhere"]}');
    } finally {
      await other.close();
    }
  });

  test('is drawn by a page that may load its own script and style, and nothing else', () => {
    const webview = { cspSource: 'https://page.test', asWebviewUri: (uri: vscode.Uri) => uri };
    const html = pageHtml(webview as unknown as vscode.Webview, vscode.Uri.file('/extension'), {
      name: 'lineage',
      title: 'Lineage',
    });
    const [, policy = '', nonce = ''] =
      /http-equiv="Content-Security-Policy" content="([^"]*'nonce-([0-9a-f]{32})')"/.exec(html) ?? [];
    assert.equal(
      policy.replace(nonce, 'N'),
      "default-src 'none'; img-src data:; style-src https://page.test; script-src 'nonce-N'",
    );
    assert.deepEqual(
      [...html.matchAll(/<(script|link)[^>]*>/g)].map(([tag]) => tag.replace(nonce, 'N')),
      [
        '<link rel="stylesheet" href="file:///extension/media/lineage.css">',
        '<script nonce="N" src="file:///extension/dist/webview/lineage.js">',
      ],
    );
    assert.doesNotMatch(html, / style=|<style| on[a-z]+=/);
  });

  test('stays when the server refuses, and continues from there on request', async () => {
    await notes('a', 'b');
    await answering('Roll Back');
    await vscode.commands.executeCommand('mcpl.rollBack', { place: await placeOf('chk_1') });
    await told(/^notes \(notes\.edit\) could not go back to chk_1: "The first note was printed\." Nothing moved\./);
    await eventually(head, 'chk_2');
    await person.screenshot('a rollback that was refused');
    await person.notification('Continue from Here', 'could not go back');
    await untilHead('chk_1');
    assert.equal(await call('edit', 'c'), '{"notes":["a"]}');
  });

  test('has states that can be opened and compared', async () => {
    await notes('a', 'b');
    const [first, second] = [await placeOf('chk_1'), await placeOf('chk_2')];
    await vscode.commands.executeCommand('mcpl.openState', { place: second });
    await eventually(async () => vscode.window.activeTextEditor?.document.uri.scheme, 'mcpl-state');
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'json');
    assert.equal(document.getText().trim(), '{\n  "notes": [\n    "a",\n    "b"\n  ]\n}');
    assert.match(document.uri.path, /\/chk_2 \(notes\.edit\)\.json$/);
    const ui = await (await mcpLive()).testing.lineage.ui();
    await vscode.commands.executeCommand('mcpl.showLineage', { ...NOTES, place: first });
    await eventually(async () => ui.controllers.length > 0, true);
    ui.controllers[0]?.receive({ type: 'compare', places: [first, second] });
    await eventually(async () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff ? [input.original.path, input.modified.path] : [];
    }, ['/notes/chk_1 (notes.edit).json', '/notes/chk_2 (notes.edit).json']);
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label, 'chk_1 ↔ chk_2 (notes.edit)');
    await person.waitFor('.modified .view-line:has-text("b")');
    await person.screenshot('two states compared');
  });

  test('has checkpoints that can be named, pinned, gone on from, and forgotten', async () => {
    await notes('a', 'b');
    await untilHead('chk_2');
    const { host } = await mcpLive();
    const place = await placeOf('chk_1');
    void vscode.commands.executeCommand('mcpl.nameCheckpoint', { place });
    await person.answerInput('the first');
    await eventually(async () => (await host.lineages.checkpoint(place))?.node.name, 'the first');
    await vscode.commands.executeCommand('mcpl.pinCheckpoint', { place });
    await eventually(async () => (await host.lineages.checkpoint(place))?.node.isPinned, true);
    void vscode.commands.executeCommand('mcpl.unpinCheckpoint');
    await person.pick('the first');
    await eventually(async () => (await host.lineages.checkpoint(place))?.node.isPinned, false);
    await vscode.commands.executeCommand('mcpl.copyCheckpointId', { place });
    assert.equal(await vscode.env.clipboard.readText(), 'chk_1');
    void vscode.commands.executeCommand('mcpl.compareStates', { place });
    await person.pick('With the Head');
    await eventually(
      async () => vscode.window.tabGroups.activeTabGroup.activeTab?.label,
      'chk_1 "the first" ↔ chk_2 (notes.edit)',
    );
    await answering('Continue from Here');
    await vscode.commands.executeCommand('mcpl.continueFromCheckpoint', { place });
    await untilHead('chk_1');
    const asked = await answering('Forget');
    await vscode.commands.executeCommand('mcpl.forgetLineage', NOTES);
    assert.match(asked[0] ?? '', /^Forget 2 checkpoints of notes \(notes\.edit\)\?\n/);
    await eventually(lineage, undefined);
    await vscode.commands.executeCommand('mcpl.showLineage', NOTES);
    await eventually(
      async () => (await texts('.message')).join().includes('No checkpoint yet. Call a tool of notes'),
      true,
    );
  });

  test('can be written to a file, and read from it', async () => {
    await notes('a', 'b');
    await untilHead('chk_2');
    const folder = await mkdtemp(join(tmpdir(), 'mcpl-lineage-'));
    const file = join(folder, 'notes.jsonl');
    void vscode.commands.executeCommand('mcpl.exportLineage', NOTES);
    await chooseFile(file);
    await told(/^Exported 2 checkpoints to .*notes\.jsonl\.$/);
    const { host } = await mcpLive();
    await host.lineages.forget(NOTES);
    void vscode.commands.executeCommand('mcpl.importLineage', NOTES);
    await chooseFile(file);
    await told(/^Added 2 checkpoints to notes \(notes\.edit\)\.$/);
    await rm(folder, { recursive: true });
    await eventually(async () => (await lineage())?.count, 2);
  });

  test('is blocked by a state that cannot be computed, until the user selects where to continue', async () => {
    await notes('a');
    await call('spoil');
    await told(/^notes \(notes\.edit\): the state that spoil returned could not be made: /);
    await assert.rejects(call('edit', 'b'), (error) => isHostError(error));
    await eventually(async () => (await lineage())?.blocked?.checkpoint, 'chk_2');
    await person.screenshot('a state that could not be made');
    await person.notification('Continue from Last Good', 'spoil');
    await eventually(async () => (await lineage())?.blocked, undefined);
    assert.equal(await call('edit', 'b'), '{"notes":["a"]}');
  });

  test('is listed in the chat, which also rolls back without a model', async () => {
    const model = await fakeModel();
    await selectFake();
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    await notes('a', 'b', 'c');
    await untilHead('chk_3');
    await say('/checkpoints notes');
    await eventually(
      async () =>
        /^notes \(notes\.edit\), 3 checkpoints chk_3 · head · edit · .*chk_2 · .*chk_1 · /.test(await lastAnswer()),
      true,
    );
    await person.screenshot('checkpoints in the chat');
    await answering('Roll Back');
    await person.click('.interactive-response .monaco-button:has-text("Roll Back to chk_2")');
    await untilHead('chk_2');
    await say('/rollback nothing');
    await eventually(lastAnswer, 'No checkpoint is called "nothing". /checkpoints lists all of them.');
    await say('/rollback chk_1');
    await eventually(
      lastAnswer,
      'Going back to chk_1 of notes (notes.edit): 1 checkpoint is left as a branch. What edit may have done elsewhere stays done. ' +
        'notes (notes.edit) could not go back to chk_1: "The first note was printed." Nothing moved. ' +
        'You can continue from it, which undoes nothing that was done.',
    );
    await untilOver();
    assert.equal(await head(), 'chk_2');
    model.respondOnce(['Hello.']);
    await say('Hello?');
    await eventually(lastAnswer, 'Hello.');
    assert.deepEqual(
      model.requests.map(({ messages }) => messages.length),
      [1],
    );
  });

  test('is shown in the trace', async () => {
    await vscode.commands.executeCommand('mcpl.server.showTrace', { server: 'notes' });
    await notes('a');
    await eventually(async () => [...(await texts('.list .row .method'))].sort(), ['tools/call', 'tools/call · chk_1']);
    await person.webviewClick('.list .row.received');
    await eventually(
      async () => (await texts('.detail .facts'))[0]?.endsWith('checkpoint chk_1 is kept in notes (notes.edit)'),
      true,
    );
  });
});
