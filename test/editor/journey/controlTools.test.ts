import assert from 'node:assert/strict';
import { type JourneyEditor, openJourney } from './journeyEditor.ts';
import { LineageReader } from './lineageReader.ts';
import { until } from './until.ts';

const SETTINGS = {
  'mcpl.servers': {
    state: { enabled: false, command: 'mcpl-demo', args: ['state'], featureSets: { enabled: ['state.book'] } },
  },
};
const ALLOW = '.interactive-response .monaco-button:has-text("Allow")';

suite('A user whose model asks for a rollback', () => {
  let opened: JourneyEditor | undefined;
  let reader: LineageReader | undefined;

  suiteSetup(async () => {
    opened = await openJourney({ settings: SETTINGS, trust: 'before' });
    reader = new LineageReader(opened);
    await opened.person.openContainer('MCP Live');
    await opened.person.clickTreeItem('state', 'Start');
    await reader.me.answer('wants to run "state"', 'Start');
    await reader.me.untilRow(/^state running .* 1 of 2 sets on/);
    await reader.clear();
    await reader.me.unfold('state', 'Tools');
    for (const text of ['One', 'Two', 'Three']) {
      await reader.call('add_page', { text });
      await reader.untilText('.result', /Checkpoint page-\w+ is kept\./, 'tab');
    }
    await opened.person.command('View: Close All Editors');
  });

  suiteTeardown(async () => {
    await opened?.close();
  });

  teardown(async function () {
    if (this.currentTest !== undefined && this.currentTest.state !== 'passed')
      await journey().person.screenshot(`failed ${this.currentTest.title}`);
  });

  const journey = (): JourneyEditor => {
    assert.ok(opened !== undefined);
    return opened;
  };

  const send = async (text: string): Promise<void> => {
    const { page, person } = journey();
    await page.locator('.chat-input-container .view-lines').click();
    await person.press('Control+A');
    await person.type(`@fake ${text}`);
    await person.press('Escape');
    await person.press('Enter');
  };

  const lastAnswer = async (): Promise<string> =>
    ((await journey().person.texts('.interactive-response .value')).at(-1) ?? '').replace(/\s+/g, ' ');

  const untilAnswer = async (expected: RegExp): Promise<void> => {
    await until(`an answer like ${expected.source}`, journey(), async () => expected.test(await lastAnswer()));
    await journey().person.waitFor('.interactive-response.chat-most-recent-response:not(.chat-response-loading)');
  };

  const dialog = async (): Promise<string> => {
    await journey().person.waitFor('.monaco-dialog-box');
    return (await journey().person.texts('.monaco-dialog-box')).join('\n').replace(/\s+/g, ' ');
  };

  let second = '';

  test('sees what it asks for, allows that for the session, and is asked by MCP Live all the same', async () => {
    const { person } = journey();
    await send('call mcpl_list_checkpoints {"limit": 3}');
    await untilAnswer(/state \(state\.book\): 3 checkpoints/);
    const places = [...(await lastAnswer()).matchAll(/(page-\w+) \[place (\d+)\]/g)];
    second = places[1]?.[2] ?? '';
    assert.equal(places.length, 3);
    await send(`call mcpl_rollback {"place": ${second}}`);
    await person.waitFor(ALLOW);
    await person.screenshot('journey control tools 01 the confirmation of the editor');
    await person.click(ALLOW);
    const asked = await dialog();
    assert.match(asked, /Roll state \(state\.book\) back to page-\w+\?/);
    assert.match(asked, /A language model asks for this, by a tool call in a chat\. .* What is not undone:/);
    await person.screenshot('journey control tools 02 the question of MCP Live');
    // The dialog appears unexpectedly, so pressing Enter must not agree.
    await person.press('Enter');
    await untilAnswer(/The user did not agree: nothing was rolled back\./);
  });

  test('is asked again by MCP Live alone, now that the editor lets the tool pass', async () => {
    const { person } = journey();
    await send(`call mcpl_rollback {"place": ${second}}`);
    await dialog();
    await person.dialog('Roll Back');
    await untilAnswer(/state \(state\.book\) is back at page-\w+\. The next checkpoint starts a new branch\./);
    await person.screenshot('journey control tools 03 rolled back');
  });
});
