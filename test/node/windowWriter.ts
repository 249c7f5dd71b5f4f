import { NO_LOG } from '../../src/core/index.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { note, stateUpdate } from '../support/stateCase.ts';
import { announce } from './announce.ts';

/** Another window: adds this many notes to the current state, and prints the result of each. */
const [file = '', prefix = '', count = '0'] = process.argv.slice(2);
const store = openStore({
  file,
  workerPath: new URL('../../src/node/store/storeWorker.ts', import.meta.url),
  log: NO_LOG,
});
const { states } = store;
for (let i = 0; i < Number(count); i++) {
  const checkpoint = `${prefix}-${i}`;
  const { head } = await states.base(stateUpdate(checkpoint), undefined, 'host');
  const { kind } = await states.record(stateUpdate(checkpoint, { base: head?.place, body: note(checkpoint), at: i }));
  announce(`${kind} ${checkpoint}`);
}
await store.close();
