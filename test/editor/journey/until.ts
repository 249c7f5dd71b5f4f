import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { JourneyEditor } from './journeyEditor.ts';

/** Polls like a user, because views, webviews and servers take time. */
export const until = async (
  what: string,
  editor: JourneyEditor,
  condition: () => Promise<boolean>,
  rounds = 300,
): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
    if (await condition()) return;
    await delay(200);
  }
  await editor.person.screenshot(`waited in vain for ${what}`);
  assert.fail(`Waited in vain for ${what}.`);
};
