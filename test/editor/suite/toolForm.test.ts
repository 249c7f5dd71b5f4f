import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { cleanSlate, mcpLive, setServers, untilTools, PLAIN_DEMO } from './mcpLive.ts';

const texts = (selector: string): Promise<readonly string[]> => person.webviewTexts(selector);
const headings = (): Promise<readonly string[]> => texts('.result h2');
const call = (tool: string): Thenable<unknown> =>
  vscode.commands.executeCommand('mcpl.tool.call', { server: 'demo', tool });

suite('Call Tool', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await setServers({ demo: { ...PLAIN_DEMO, enabled: true } });
    await untilTools('demo');
  });
  teardown(cleanSlate);

  test('shows a form made from the schema, says what is missing, and shows the result', async () => {
    await call('add_note');
    await eventually(() => texts('h1, .origin'), ['Add Note', 'demo › add_note']);
    await person.webviewClick('button.primary');
    await eventually(
      () => texts('.invalid .error'),
      ['Enter a text: the tool needs one. An empty text can be sent with Edit as JSON.'],
    );
    await person.webviewFill('.field:has-text("Title") input', 'Buy milk');
    await person.webviewClick('.list button.secondary');
    await person.type('shop');
    await person.screenshot('the form of a tool');
    await person.press('Control+Enter');
    await eventually(async () => (await headings())[0]?.startsWith('Succeeded in '), true);
    assert.match((await texts('.result pre'))[0] ?? '', /Buy milk.*shop/);
    await person.screenshot('the result of a tool');
  });

  test('keeps what was entered and what came while it is hidden', async () => {
    await call('search_notes');
    await eventually(() => texts('h1'), ['Search Notes']);
    await person.webviewFill('.field:has-text("Text") input', 'no such note');
    await person.press('Control+Enter');
    await eventually(() => texts('.result pre'), ['No note contains "no such note".']);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'covers the form' }));
    await call('search_notes');
    await eventually(() => texts('.result pre'), ['No note contains "no such note".']);
    await person.webviewClick('.heading button.link');
    await eventually(() => texts('.json .label'), ['Arguments as JSON']);
    await person.press('Control+Enter');
    await eventually(() => texts('.result pre'), ['No note contains "no such note".']);
    assert.equal(
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ label }) => label.startsWith('search_notes'))
        .length,
      1,
    );
  });

  test('shows progress, and cancels', async () => {
    await call('summarize_notes');
    await eventually(() => texts('h1'), ['Summarize Notes']);
    await person.webviewFill('.field:has-text("Seconds per Step") input', '5');
    await person.press('Control+Enter');
    await eventually(async () => /^(?:Reading|Sorting)/.test((await texts('.status'))[0] ?? ''), true);
    await person.webviewClick('.buttons button:has-text("Cancel")');
    await eventually(async () => (await headings())[0]?.startsWith('Cancelled after '), true);
  });

  test('shows an error of the tool, and copies a result', async () => {
    await call('delete_note');
    await eventually(() => texts('h1'), ['Delete Note']);
    await person.webviewFill('.field input', 'note-99');
    await person.press('Control+Enter');
    await eventually(async () => (await headings())[0]?.startsWith('The tool reports an error'), true);
    await person.webviewClick('.result button:has-text("Copy")');
    await eventually(
      async () => (await vscode.env.clipboard.readText()).startsWith('There is no note "note-99".'),
      true,
    );
  });

  test('does not send arguments that do not fit the schema, until the user says so', async () => {
    await call('search_notes');
    await eventually(() => texts('h1'), ['Search Notes']);
    await person.webviewClick('.heading button.link');
    await eventually(() => texts('.json .label'), ['Arguments as JSON']);
    await person.webviewFill('.json textarea', '{"query": 7}');
    await person.press('Control+Enter');
    await eventually(
      () => texts('.result .reason'),
      ['The arguments do not fit the tool "search_notes": /query: must be string, not number.'],
    );
    await person.screenshot('arguments that were not sent');
    await person.webviewClick('.result button:has-text("Send Anyway")');
    await eventually(() => texts('.result .reason'), []);
    assert.match((await headings())[0] ?? '', /^(?:The tool reports an error|Succeeded|Failed)/);
    await person.screenshot('arguments that were sent anyway');
  });

  test('sends fields that do not fit the schema only after Send Anyway, and never what is not JSON', async () => {
    const refused = (): Promise<readonly string[]> => texts('.refused span');
    const MISFIT =
      'Nothing was sent, because the arguments do not fit the tool. Correct them, or send them as they are.';
    await call('add_note');
    await eventually(() => texts('h1'), ['Add Note']);
    await person.webviewFill('.field:has-text("Importance") input', 'many');
    await person.press('Control+Enter');
    await eventually(refused, [MISFIT]);
    assert.deepEqual(await texts('.invalid .error'), [
      'Enter a text: the tool needs one. An empty text can be sent with Edit as JSON.',
      'Enter a whole number.',
    ]);
    await person.screenshot('fields that were not sent');
    await person.webviewClick('.refused button:has-text("Send Anyway")');
    await eventually(() => texts('.result pre'), ['title is missing.\nimportance must be a number.']);
    assert.deepEqual(await refused(), []);
    await person.screenshot('fields that were sent anyway');

    await person.press('Control+Enter');
    await eventually(refused, [MISFIT]);
    await person.webviewFill('.field:has-text("Title") input', 'Buy milk');
    await eventually(refused, []);

    await person.webviewClick('.heading button.link');
    await eventually(() => texts('.json .label'), ['Arguments as JSON']);
    for (const text of ['{"title": ', '["Buy milk"]']) {
      await person.webviewFill('.json textarea', text);
      await eventually(refused, []);
      await person.press('Control+Enter');
      await eventually(refused, [
        'Nothing was sent, because a call carries only a JSON object. Correct the marked text.',
      ]);
      assert.deepEqual(await texts('.refused button'), []);
    }
    await person.screenshot('text that cannot be sent');
  });

  test('offers to start a server that does not run', async () => {
    await call('list_notes');
    await eventually(() => texts('h1'), ['List Notes']);
    await vscode.commands.executeCommand('mcpl.server.stop', { server: 'demo' });
    await eventually(() => texts('.banner span'), ['The server is not running.']);
    await person.webviewClick('.banner button');
    await untilTools('demo');
    await eventually(() => texts('.banner span'), []);
  });
});
