import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inProject } from '../../../harness/paths.ts';
import { type JourneyEditor, openJourney } from '../journeyEditor.ts';
import { until } from '../until.ts';

const SECRET = 'sk-1234567890abcdef';
const ANSWERS = '.interactive-response .value';
/** Only fully shown toasts. Earlier, they are half transparent. */
const TOASTS = '.notification-toast.notification-fade-in-done';

suite('A user whose servers speak MCPL', () => {
  let opened: JourneyEditor | undefined;

  suiteSetup(async () => {
    const sample = (path: string): Promise<string> => readFile(inProject('test/sample/workspace', path), 'utf8');
    const settings = '.vscode/settings.json';
    opened = await openJourney({
      files: { [settings]: await sample(settings), 'README.md': await sample('README.md') },
      trust: 'before',
    });
    await opened.person.openContainer('MCP Live');
    await opened.page.locator('.pane-header:has-text("Events")').click();
  });

  suiteTeardown(async () => {
    await opened?.close();
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  const untilRow = (expected: RegExp): Promise<void> =>
    until(`a row like ${expected.source}`, journey(), async () =>
      (await journey().person.treeRows()).some((row) => expected.test(row)),
    );

  const untilToast = (text: string): Promise<void> =>
    journey().person.waitFor(`${TOASTS}:has-text(${JSON.stringify(text)})`);

  /** The pointer must not rest on the text, which would show a hint. */
  const shot = async (name: string): Promise<void> => {
    await journey().page.mouse.move(640, 500);
    await journey().person.screenshot(`journey mcpl ${name}`);
  };

  const lastAnswer = async (): Promise<string> =>
    ((await journey().person.texts(ANSWERS)).at(-1) ?? '')
      .replace(/\s+/g, ' ')
      .replace(/^Completed \d+ steps?( in \S+)? /, '');

  const send = async (text: string): Promise<void> => {
    const { page, person } = journey();
    // A toast may cover the box.
    await person.command('Notifications: Clear All Notifications');
    await page.locator('.chat-input-container .view-lines').click();
    await person.press('Control+A');
    await person.type(`@mcpl ${text}`);
    await person.press('Escape');
    await person.press('Enter');
  };

  const untilAnswer = async (expected: RegExp): Promise<void> => {
    await until(`an answer like ${expected.source}`, journey(), async () => expected.test(await lastAnswer()));
    await journey().person.waitFor('.interactive-response.chat-most-recent-response:not(.chat-response-loading)');
  };

  const start = async (server: string): Promise<void> => {
    const { person } = journey();
    await person.clickTreeItem(server, 'Start');
    await person.notification('Start', `mcpl-demo ${server}`);
    await untilRow(new RegExp(`^${server} running`));
  };

  const callTool = async (tool: string): Promise<void> => {
    const { person } = journey();
    await person.command('View: Close All Editors');
    await person.clickTreeItem(tool, 'Call Tool');
    await person.webviewClick('button.primary:enabled');
  };

  const result = (expected: RegExp): Promise<void> =>
    until(`a result like ${expected.source}`, journey(), async () =>
      (await journey().person.webviewTexts('.result')).some((text) => expected.test(text)),
    );

  test('starts one, sees its feature sets, and chooses in a list', async () => {
    const { person } = journey();
    await start('memory');
    await untilToast(
      '"memory" asks for 5 permissions: read your prompts, read answers, use models, send events, offer tools. All are off.',
    );
    await shot('01 first contact');
    await person.notification('Review…', 'permissions');
    await person.pick('memory.retrieval');
    await person.pick('memory.extraction');
    await shot('02 the choice');
    await person.press('Enter');
    await untilRow(/^memory running .* 2 of 4 sets on/);
  });

  test('switches another one on by its checkbox, and finds it in the settings', async () => {
    const { person, workspace } = journey();
    await person.clickTreeItem('memory', 'expand');
    await person.clickTreeItem('Feature Sets', 'expand');
    await person.clickTreeItem('proactive', 'checkbox');
    await untilRow(/^ +proactive events, tools \[x\]$/);
    await untilRow(/^memory running .* 3 of 4 sets on/);
    await shot('03 the tree');
    assert.match(await readFile(join(workspace, '.vscode/settings.json'), 'utf8'), /"memory\.proactive"/);
  });

  test('gets the server’s context into the prompt', async () => {
    const { page, person } = journey();
    await send('My name is Ada.');
    await untilAnswer(/says: My name is Ada\. Tools offered to me: memory_/);
    await send('What is my name?');
    await untilAnswer(/says: What is my name\? .* Context from memory\.$/);
    await shot('04 context from a server');
    await person.command('Fake Model: Show Recorded Requests');
    await page.locator('.editor-instance .view-lines:has-text("messages")').waitFor();
    await person.press('Control+f');
    await person.type('<context server');
    await person.press('Enter');
    await page.locator('.editor-instance .view-lines:has-text("<context server")').waitFor();
    await person.press('Escape');
    await shot('05 what the model was given');
    await person.command('View: Close All Editors');
    await person.dialog("Don't Save");
  });

  test('is reminded by a notification, and finds it in the inbox with a badge', async () => {
    const { page, person } = journey();
    await send('Remind me in 1 second to stretch.');
    await untilAnswer(/says: Remind me in 1 second to stretch\./);
    await untilToast('memory: Reminder: stretch');
    await untilRow(/^memory 1 event · 1 unread$/);
    await page.locator('.activitybar [role="tab"][aria-label*="1 unread event"]').waitFor();
    await shot('06 a reminder');
    assert.equal(
      (await person.treeRows()).some((row) => /^ +Reminder: stretch now · server: memory/.test(row)),
      true,
    );
  });

  test('sees why a server may not use a model, and who asks', async () => {
    const { page, person } = journey();
    await person.clickTreeItem('consolidation', 'checkbox');
    await untilRow(/^memory running .* 4 of 4 sets on/);
    await person.clickTreeItem('Tools', 'expand');
    await callTool('consolidate_memories');
    await result(/Nobody has allowed the language model yet/);
    await untilToast('The server "memory" wants to use a language model.');
    await shot('07 a server wants a model');
    await person.notification('Allow Language Model Use', 'memory');
    await person.waitFor('.monaco-dialog-box:has-text("Asking now: memory.")');
    // Cancelling allows nothing, so the next test is asked again.
    await person.dialog('Cancel');
    await page.locator('.monaco-dialog-box').waitFor({ state: 'hidden' });
  });

  test('has a model look at the reminder, after allowing it', async () => {
    const { page, person } = journey();
    await person.clickTreeItem('Reminder: stretch', 'Ask Model');
    await person.dialog('Cancel');
    await page.locator('.monaco-dialog-box').waitFor({ state: 'hidden' });
    await person.clickTreeItem('Reminder: stretch', 'Ask Model');
    await person.waitFor('.monaco-dialog-box');
    await shot('08 may servers use models');
    assert.deepEqual(
      (await person.notifications()).filter((text) => text.startsWith('No model answered')),
      [],
      'cancelling is no error',
    );
    await person.dialog('Allow');
    await page.locator('.editor-instance .view-lines:has-text("I am a fake model")').waitFor();
    await untilRow(/^memory 1 event$/);
    await person.clickTreeItem('Reminder: stretch', 'expand');
    await untilRow(/^ +I am a fake model/);
    await shot('09 what the model answered');
  });

  test('lets the server use a model then, as often as its settings say', async () => {
    const { person, workspace, writeFile } = journey();
    await callTool('consolidate_memories');
    await result(/\(1 memory, summarized by sees\)/);
    await shot('10 a summary by a model');
    const path = '.vscode/settings.json';
    const settings = await readFile(join(workspace, path), 'utf8');
    const limited = settings.replace(/\/\/ ("inference": \{ "requestsPerHour": )5/, '$11');
    assert.notEqual(limited, settings);
    await writeFile(path, limited);
    // No view shows when the new settings are read.
    await until('the budget', journey(), async () => {
      await person.webviewClick('button.primary:enabled');
      return (await person.webviewTexts('.result')).some((text) => /may make 1 request to a model an hour/.test(text));
    });
    await shot('11 the budget is used up');
  });

  test('never sees what another server takes out of an answer', async () => {
    const { person } = journey();
    await person.command('View: Close All Editors');
    // The view is small, and hidden rows cannot be clicked.
    await person.clickTreeItem('Tools', 'collapse');
    await start('compliance');
    await untilToast('"compliance" asks for 1 permission: read and change answers. It is off.');
    await shot('12 one feature set');
    await person.notification('Enable', 'compliance');
    await untilRow(/^compliance running .* 1 of 1 sets? on/);
    await person.watch('.interactive-response, .monaco-aria-container');
    await send(`Repeat this slowly: my key is ${SECRET}, write to ada@example.org.`);
    await untilAnswer(/my key is \[REDACTED\], write to \[REDACTED\]\. .* Changed by compliance\.$/);
    await shot('13 an answer without secrets');
    const seen = await person.seen();
    assert.deepEqual(
      seen.filter((text) => /sk-1|ada@/.test(text)),
      [],
    );
  });

  test('finds all of it in the audit log', async () => {
    const { page, person } = journey();
    await person.command('MCP Live: Show Audit Log');
    const text = page.locator('.editor-instance .view-lines');
    for (const expected of [
      'context/beforeInference',
      'push/event',
      'Changed the answer.',
      '1 request to a model an hour',
    ])
      await text.filter({ hasText: expected }).waitFor();
    await shot('14 the audit log');
  });
});
