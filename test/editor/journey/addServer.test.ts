import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { until } from './until.ts';

const untilRunning = (editor: JourneyEditor): Promise<void> =>
  until('a running server', editor, async () =>
    (await editor.person.treeRows()).some((row) => /^notes running .*tools/.test(row)),
  );

suite('A user who adds a server', () => {
  let opened: JourneyEditor | undefined;

  suiteSetup(async () => {
    opened = await openJourney({ settings: {}, trust: 'yes' });
    await opened.person.openContainer('MCP Live');
  });

  suiteTeardown(async () => {
    await opened?.close();
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  test('goes from the welcome through the steps, corrects one, and has it running without a question', async () => {
    const editor = journey();
    const { page, person } = editor;
    await page.locator('.welcome-view .monaco-button:has-text("Add Server")').click();
    // All steps share one input box, so text typed too early goes to the previous step.
    const step = (prompt: string): Promise<void> => person.waitFor(`.quick-input-message:has-text("${prompt}")`);
    await person.pick('Command');
    await step('The command that starts the server');
    await person.answerInput('mcpl-demo "');
    await step('A closing');
    await person.answerInput('mcpl-demo');
    await step('A name for the server');
    await page.locator('.quick-input-widget .codicon-quick-input-back').click();
    await step('The command that starts the server');
    await person.press('Enter');
    await step('A name for the server');
    await person.answerInput('notes');
    await person.pick('This Workspace');
    await person.pick('Enable and Start Now');
    await untilRunning(editor);
    const settings: unknown = JSON.parse(await readFile(join(editor.workspace, '.vscode/settings.json'), 'utf8'));
    assert.deepEqual(settings, { 'mcpl.servers': { notes: { command: 'mcpl-demo', enabled: true } } });
    assert.deepEqual(await person.notifications(), [
      '"notes" asks for 6 permissions: read your prompts, read and change answers, use models, send events, offer tools, store its state here. All are off.',
    ]);
    await person.screenshot('journey a server was added');
    await person.notification('Enable All', '"notes" asks');
    await until('its sets on', editor, async () =>
      (await person.treeRows()).some((row) => / 9 of 9 sets on/.test(row)),
    );
  });

  test('keeps it running while settings.json is not JSON, and sees a message', async () => {
    const editor = journey();
    const path = join(editor.workspace, '.vscode/settings.json');
    const sound = await readFile(path, 'utf8');
    await editor.writeFile('.vscode/settings.json', sound.replace('{', '{ "mcpl.servers": '));
    await editor.person.waitFor('.sidebar :text("mistake in its JSON")');
    await untilRunning(editor);
    await editor.person.screenshot('journey settings with a mistake');
    await editor.writeFile('.vscode/settings.json', sound);
    await editor.page.locator('.sidebar :text("mistake in its JSON")').waitFor({ state: 'hidden' });
    await untilRunning(editor);
  });

  test('has the form of a tool back after a reload, with what was entered, and calls the tool', async () => {
    const editor = journey();
    const { person } = editor;
    await person.clickTreeItem('Tools', 'expand');
    await person.clickTreeItem('add_note', 'Call Tool');
    await person.webviewFill('.field:has-text("Title") input', 'Kept over the reload');
    await editor.reload();
    await untilRunning(editor);
    await until('the form', editor, async () => (await person.webviewTexts('h1')).includes('Add Note'));
    await person.webviewClick('button.primary:enabled');
    await until('the result', editor, async () =>
      (await person.webviewTexts('.result pre')).some((text) => text.includes('Kept over the reload')),
    );
    await person.screenshot('journey the form after a reload');
    assert.deepEqual(await person.notifications(), []);
  });
});
