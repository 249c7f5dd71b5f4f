import { NO_LOG } from '../../src/core/index.ts';
import { auditRecord, inboundEvent, scopeGrant } from '../support/storedRecords.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { announce } from './announce.ts';

/** Writes consents, events or grants until it is killed. Prints each one that the store acknowledged. */
const [file = '', prefix = '', limit = 'Infinity', what = 'consents'] = process.argv.slice(2);
const store = openStore({
  file,
  workerPath: new URL('../../src/node/store/storeWorker.ts', import.meta.url),
  log: NO_LOG,
});

async function write(lane: number): Promise<void> {
  for (let i = 0; i < Number(limit); i++) {
    const id = `${prefix}-${lane}-${i}`;
    if (what === 'events') await store.events.admit(inboundEvent(id), auditRecord({ detail: id }));
    else if (what === 'grants') await store.grants.save(scopeGrant(id));
    else await store.consents.save({ server: id, fingerprint: 'f'.repeat(64), grants: { autoApprove: [id] }, at: i });
    announce(`${id}`);
  }
}

await Promise.all([0, 1, 2, 3].map(write));
await store.close();
