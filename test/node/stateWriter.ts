import { NO_LOG } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { countUpdate, COUNTERS, counterName } from '../support/stateCounter.ts';
import { OPENING } from './writingProcess.ts';
import { announce } from './announce.ts';

/** Continues counting in lineages, one checkpoint per step. Prints each one that the store acknowledged. */
const [file = '', prefix = '', limit = 'Infinity', sets = 'a,b'] = process.argv.slice(2);
// It may be killed from here on, also before the store exists and while it is opened.
announce(OPENING);
const store = openStore({
  file,
  workerPath: new URL('../../src/node/store/storeWorker.ts', import.meta.url),
  log: NO_LOG,
});

async function count(featureSet: string): Promise<void> {
  for (let i = 0; i < Number(limit); i++) {
    const base = await store.states.base({ server: COUNTERS, featureSet }, prefix, 'host');
    await store.states.record(countUpdate(featureSet, prefix, i, base.head?.place));
    announce(`${counterName(prefix, featureSet, i)}`);
  }
}

await Promise.all(sets.split(',').map(count));
await store.close();
