import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findScripts } from '../../../src/cli/nodeHost.ts';
import { NO_LOG } from '../../../src/core/index.ts';
import { LineageToasts } from '../../../src/editor/lineage/lineageToasts.ts';
import { nodeClock } from '../../../src/node/nodePorts.ts';
import { openStore } from '../../../src/node/store/sqliteStore.ts';
import { BOOK, type StateCase, stateCases } from './stateCase.ts';
import { ID } from './mcplCase.ts';

/** A disk with room for exactly 150 pages of the database. */
const smallDisk = fileURLToPath(new URL('../smallDiskWorker.ts', import.meta.url));
const FILE = 'room-150.sqlite';

stateCases('on a full disk', (open) => {
  let folder: string;
  let toasts: LineageToasts;
  let told: string[];

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-full-'));
    told = [];
    const show = ({ text }: { readonly text: string }): Promise<void> => {
      told.push(text.replaceAll(folder, '~'));
      return Promise.resolve();
    };
    toasts = new LineageToasts({ clock: nodeClock, show });
  });

  teardown(() => {
    toasts.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(): Promise<StateCase> {
    const scripts = { ...findScripts(), storeWorker: smallDisk };
    const states = await open({ host: { storageFile: join(folder, FILE), scripts } });
    states.lineages.onDidBreak((trouble) => toasts.broke(trouble));
    return states;
  }

  const whole = (n: number): object => ({ notes: [`${n}${'x'.repeat(40_000)}`] });

  /** Calls until the disk is full. Returns the number of stored states. */
  async function filled(states: StateCase): Promise<{ readonly kept: number; readonly answer: string }> {
    for (let n = 0; n < 60; n++) {
      const answer = await states.edit({ checkpoint: `c${n}`, parent: null, data: whole(n) as never });
      if (answer !== `kept c${n}`) return { kept: n, answer: answer.replaceAll(folder, '~') };
    }
    return assert.fail('There was room for all.');
  }

  const FULL = 'The database ~/room-150.sqlite cannot be used: database or disk is full';

  test('the caller, the server and the user get an error, and no stored state is lost', async () => {
    const states = await opened();
    const { kept, answer } = await filled(states);
    assert.ok(kept > 5, `${kept} were kept`);
    assert.equal(answer, `lost c${kept}: It could not be stored: ${FULL}. That is tried again before the next call.`);

    // An update without a call is refused, and may be sent again. The server learns nothing about the host's disk.
    const update = { featureSet: BOOK, checkpoint: 'told', data: whole(99) as never };
    assert.equal(await states.mcpl.answerTo('state/update', update), 'error -32603 The state could not be stored.');

    await states.mcpl.until('the notice', () => told.length > 0);
    assert.deepEqual(told, [
      `${ID} (${BOOK}): the state that edit returned could not be kept: It could not be stored: ${FULL}. ` +
        'That is tried again before the next call. What was kept before is not touched.',
    ]);

    const refused = await states.edit({ checkpoint: 'next', data: {} });
    assert.equal(
      refused.replaceAll(folder, '~'),
      `STORAGE_FAILED The tool "edit" was not called: the state of "${BOOK}" cannot be stored or read. ${FULL} ` +
        'Free some disk space and try again.',
    );

    // Another window, whose disk has room.
    const worker = new URL('../../../src/node/store/storeWorker.ts', import.meta.url);
    const other = openStore({ file: join(folder, FILE), workerPath: worker, log: NO_LOG });
    const { head, state } = await other.states.base({ server: ID, featureSet: BOOK }, undefined, 'host');
    const [summary] = await other.states.lineages();
    await other.close();
    assert.deepEqual(
      [head?.checkpoint, state, summary?.count],
      [`c${kept - 1}`, JSON.stringify(whole(kept - 1)), kept],
    );
  });
});
