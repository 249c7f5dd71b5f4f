import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ResultView } from '../../../src/core/index.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';
import { startEverything } from './everything.ts';
import { cleanSlate, mcpLive } from './mcpLive.ts';

const call = async (tool: string, args: Record<string, string | number> = {}): Promise<ResultView> => {
  const { host } = await mcpLive();
  return host.callTool({ server: 'everything', tool, args, route: 'api' });
};
const texts = (selector: string): Promise<readonly string[]> => person.webviewTexts(selector);
const QUICK_INPUT = '.quick-input-widget';
const TITLE = `${QUICK_INPUT} .quick-input-title`;
/** Waits for one step of a form. */
const step = (place: string): Promise<void> =>
  eventually(async () => (await person.texts(TITLE)).join('').endsWith(place), true);
const problem = (): Promise<readonly string[]> =>
  person.texts(`${QUICK_INPUT} .quick-input-message .monaco-highlighted-label, ${QUICK_INPUT} .quick-input-message`);
const message = async (): Promise<string> => (await person.notifications()).join('\n');

suite('Questions of servers', () => {
  setup(async () => {
    await cleanSlate();
    (await mcpLive()).testing.answerConsent(async () => 'start');
    await startEverything();
  });
  teardown(cleanSlate);

  test('a form: shown by a notification, found again in the view, answered step by step, reviewed, and sent', async () => {
    const called = call('trigger-elicitation-request');
    await eventually(async () => (await message()).includes('The server "everything" asks: Please provide'), true);
    await person.openContainer('MCP Live');
    await eventually(async () => (await person.treeRows())[0]?.startsWith('everything 1 question · running'), true);
    await person.notification('Answer');
    await step('(1/14)');
    // Required fields cannot be skipped, and errors appear while typing.
    await person.press('Enter');
    await eventually(problem, ['String: This needs an answer.']);
    await person.answerInput('Ada');
    await step('(2/14)');
    await person.screenshot('a form in steps, a flag');
    await person.pick('Yes');
    await step('(3/14)');
    await person.press('Enter');
    await step('(4/14)');
    await person.type('ada@');
    await eventually(problem, ['String with email format: Enter an e-mail address: name@example.com.']);
    await person.screenshot('a form in steps, an address that is wrong');
    await person.answerInput('ada@example.com');
    await step('(5/14)');
    await person.screenshot('a form in steps, a text that can be left out');
    // Back with the kept answer, and forward again.
    await person.click(`${QUICK_INPUT} .quick-input-left-action-bar .action-label`);
    await step('(4/14)');
    await person.press('Enter');
    await step('(5/14)');
    await person.press('Enter');
    await step('(6/14)');
    await person.type('2026-02-30');
    await eventually(problem, ['String with date format: Enter a date: 2026-03-31.']);
    await person.answerInput('2026-02-28');
    await step('(7/14)');
    await person.answerInput('7.5');
    await eventually(problem, ['Integer: Enter a whole number.']);
    await person.answerInput('101');
    await eventually(problem, ['Integer: Enter a number of at most 100.']);
    await person.screenshot('a form in steps, a number out of range');
    await person.answerInput('7');
    await step('(8/14)');
    await person.press('Enter');
    await step('(9/14)');
    await person.screenshot('a form in steps, one of some');
    await person.pick('Phoebe');
    await step('(10/14)');
    for (const label of ['Piano', 'Violin', 'Drums']) await person.pick(label);
    await eventually(async () => (await person.texts(TITLE)).join('').includes('Give at most 3.'), true);
    await person.screenshot('a form in steps, too many of some');
    await person.pick('Drums');
    await person.click(`${QUICK_INPUT} .quick-input-action .monaco-button`);
    await step('(11/14)');
    await person.screenshot('a form in steps, one of some with titles');
    await person.pick('Wonder Woman');
    await step('(12/14)');
    await person.click(`${QUICK_INPUT} .quick-input-action .monaco-button`);
    await step('(13/14)');
    await person.pick('(skip)');
    await step('(14/14)');
    await person.screenshot('a form in steps, all of it before it is sent');
    await person.pick('String with default');
    await step('(3/14)');
    await person.answerInput('Call me Ishmael.');
    await step('(14/14)');
    await person.pick('Submit');
    const { modelText } = await called;
    const [, content] = /Raw result: (\{[\s\S]*\})\s*$/.exec(modelText) ?? [];
    assert.deepEqual(JSON.parse(content ?? modelText), {
      action: 'accept',
      content: {
        name: 'Ada',
        check: true,
        firstLine: 'Call me Ishmael.',
        email: 'ada@example.com',
        birthdate: '2026-02-28',
        integer: 7,
        number: 3.14,
        untitledSingleSelectEnum: 'Phoebe',
        untitledMultipleSelectEnum: ['Guitar', 'Piano', 'Violin'],
        titledSingleSelectEnum: 'hero-3',
        titledMultipleSelectEnum: ['fish-1'],
      },
    });
    await eventually(async () => (await person.treeRows())[0]?.includes('question'), false);
  });

  test('a form whose steps are left for the page, with what was entered so far', async () => {
    const called = call('trigger-elicitation-request');
    await person.notification('Answer');
    await step('(1/14)');
    await person.answerInput('Ada');
    await step('(2/14)');
    await person.click(`${QUICK_INPUT} .action-label[aria-label="Open as Form"]`);
    await eventually(() => texts('h1'), ['The server "everything" asks']);
    await person.screenshot('a form of a server');
    await person.webviewFill('.field:has-text("Name") input', '');
    await person.webviewClick('button:has-text("Submit")');
    await eventually(async () => (await texts('.invalid .error')).length, 1);
    await person.webviewFill('.field:has-text("Name") input', 'Grace');
    // The input stays while the tab is hidden.
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'covers the form' }));
    await vscode.commands.executeCommand('mcpl.question.show');
    await eventually(() => texts('h1'), ['The server "everything" asks']);
    await person.webviewClick('button:has-text("Submit")');
    const { modelText } = await called;
    assert.match(modelText, /"action": "accept"/);
    assert.match(modelText, /"name": "Grace"/);
    assert.match(modelText, /"integer": 42/);
  });

  test('a form whose steps something else took the place of, which loses nothing', async () => {
    const called = call('trigger-elicitation-request');
    await person.notification('Answer');
    await step('(1/14)');
    await person.answerInput('Ada');
    await step('(2/14)');
    await person.press('Escape');
    await eventually(async () => (await message()).includes('Your input is kept'), true);
    await person.notification('Continue');
    await step('(2/14)');
    await person.click(`${QUICK_INPUT} .quick-input-left-action-bar .action-label`);
    await step('(1/14)');
    await eventually(
      () => person.texts(`${QUICK_INPUT} .quick-input-title`),
      ['"everything" asks: Please provide inputs for the following fields: (1/14)'],
    );
    await person.press('Escape');
    await person.notification('Decline', 'Your input is kept');
    assert.match((await called).modelText, /"action": "decline"/);
  });

  test('a form that is declined, and one that is closed', async () => {
    const declined = call('trigger-elicitation-request');
    await person.notification('Decline');
    assert.match((await declined).modelText, /"action": "decline"/);
    const closed = call('trigger-elicitation-request');
    await person.notification('Answer');
    await step('(1/14)');
    // There is no input to lose.
    await person.press('Escape');
    assert.match((await closed).modelText, /"action": "cancel"/);
    const onPage = call('trigger-elicitation-request');
    await person.notification('Answer');
    await step('(1/14)');
    await person.click(`${QUICK_INPUT} .action-label[aria-label="Open as Form"]`);
    await eventually(() => texts('h1'), ['The server "everything" asks']);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    assert.match((await onPage).modelText, /"action": "cancel"/);
  });

  test('a form whose server has gone: steps and pages close', async () => {
    for (const place of ['steps', 'page']) {
      const called = call('trigger-elicitation-request');
      // The server may answer the call before it ends, because its form was withdrawn.
      const ended = called.catch(() => undefined);
      await person.notification('Answer');
      await step('(1/14)');
      if (place === 'page') {
        await person.click(`${QUICK_INPUT} .action-label[aria-label="Open as Form"]`);
        await eventually(() => texts('h1'), ['The server "everything" asks']);
      }
      const { host } = await mcpLive();
      await host.stop('everything');
      await ended;
      await eventually(async () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length, 0);
      await eventually(() => person.texts(`${QUICK_INPUT} .quick-input-title`), []);
      if (place === 'steps') await host.start('everything');
    }
  });
});
