import assert from 'node:assert/strict';
import { PUSH_SERVER, pushServer } from '../../pushServerEntry.ts';
import { type JourneyEditor, openJourney } from '../journeyEditor.ts';
import { until } from '../until.ts';

const ALICE = 'You mentioned following up with Alice today';

suite('A user who gets events of a server', () => {
  let opened: JourneyEditor | undefined;

  suiteTeardown(async () => {
    await opened?.close();
  });

  test('has a model look at it, and finds both again after a reload', async () => {
    opened = await openJourney({
      settings: { 'mcpl.servers': { memory: pushServer('${workspaceFolder}/push.cjs', ALICE) } },
      files: { 'push.cjs': PUSH_SERVER },
      trust: 'before',
    });
    const { page, person } = opened;
    const rows = async (pattern: RegExp): Promise<boolean> =>
      (await person.treeRows()).some((row) => pattern.test(row));
    await person.openContainer('MCP Live');
    await page.locator('.pane-header:has-text("Events")').click();
    await person.notification('Start', 'push.cjs');
    await until('the event', opened, () => rows(/^memory 1 event · 1 unread$/));
    await person.waitFor(`.notifications-toasts .notification-list-item:has-text("memory: ${ALICE}")`);
    await person.screenshot('journey a server tells something');
    await person.notification('Ask Model', ALICE);
    await person.dialog('Allow');
    await page.locator('.editor-instance .view-lines:has-text("I am a fake model")').waitFor();
    await until('that it is read', opened, () => rows(/^memory 1 event$/));
    await person.clickTreeItem(ALICE, 'expand');
    await until('the answer in the view', opened, () => rows(/^ {4}I am a fake model/));
    await person.screenshot('journey what a model answered to an event');
    await opened.reload();
    await page.locator('.editor-instance .view-lines:has-text("I am a fake model")').waitFor();
    await until('the event of before', opened, () => rows(/^memory 1 event$/));
    assert.equal(await rows(/unread/), false);
  });
});
