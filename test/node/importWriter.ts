import { NO_LOG } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { data, NOTES, stateUpdate } from '../support/stateCase.ts';
import { announce } from './announce.ts';

/** Imports a file into a lineage while calls continue. Prints each checkpoint that the store acknowledged. */
const [file = '', source = ''] = process.argv.slice(2);
const store = openStore({
  file,
  workerPath: new URL('../../src/node/store/storeWorker.ts', import.meta.url),
  log: NO_LOG,
});
const { states } = store;
let isOver = false;
const imported = states.importFrom(NOTES, source).then(() => {
  isOver = true;
  announce('imported');
});
for (let i = 0; !isOver; i++) {
  await states.record(stateUpdate(`call${i}`, { server: 'calls', body: data(i) }));
  announce(`call${i}`);
}
await imported;
await store.close();
