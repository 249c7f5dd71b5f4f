import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { NO_LOG } from '../../../../src/core/base/log.ts';
import { type LineageActions, StoredLineages } from '../../../../src/core/states/storedLineages.ts';
import type { LineageKey, LineageSummary } from '../../../../src/core/model/lineage.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const NOTES: LineageKey = { server: 'notes', featureSet: 'notes' };
const GIT: LineageKey = { server: 'git', featureSet: 'git' };

/** Lineages whose reads the test completes. */
class Setting {
  readonly clock = new FakeClock();
  readonly readings: Deferred<readonly LineageSummary[]>[] = [];
  readonly lineages: StoredLineages;
  changes = 0;

  constructor() {
    const { states } = memoryStorage();
    this.lineages = new StoredLineages({
      clock: this.clock,
      states: {
        ...states,
        lineages: () => {
          const reading = new Deferred<readonly LineageSummary[]>();
          this.readings.push(reading);
          return reading.promise;
        },
      },
      log: NO_LOG,
      actions: (): Promise<LineageActions> => Promise.reject(new Error('not needed')),
    });
    this.lineages.onDidChange(() => this.changes++);
  }

  async finish(reading: number): Promise<void> {
    this.readings[reading]?.resolve([]);
    await settle();
  }
}

suite('The lineages that views show', () => {
  test('are read again after a change that came during a reading', async () => {
    const s = new Setting();
    s.lineages.changed(NOTES);
    await s.clock.advance(100);
    assert.deepEqual([s.readings.length, s.changes], [1, 0]);
    s.lineages.changed(GIT);
    await s.finish(0);
    assert.deepEqual([s.readings.length, s.changes], [1, 1]);
    await s.clock.advance(100);
    await s.finish(1);
    assert.deepEqual([s.readings.length, s.changes, s.clock.waiting], [2, 2, 0]);
    assert.deepEqual([s.lineages.isKnown(NOTES), s.lineages.isKnown(GIT)], [true, true]);
    s.lineages.dispose();
  });

  test('are read once for a burst of changes', async () => {
    const s = new Setting();
    for (let count = 0; count < 50; count++) s.lineages.changed(NOTES);
    await s.clock.advance(100);
    await s.finish(0);
    await s.clock.advance(10_000);
    assert.deepEqual([s.readings.length, s.changes], [1, 1]);
    s.lineages.dispose();
  });

  test('are not read after the end', async () => {
    const s = new Setting();
    s.lineages.changed(NOTES);
    s.lineages.dispose();
    await s.clock.advance(10_000);
    assert.deepEqual([s.readings.length, s.changes], [0, 0]);
  });
});
