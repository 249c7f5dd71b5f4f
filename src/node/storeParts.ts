/** All that a store is made of: in the store's thread, and in a program that keeps nothing. */
export { auditHandlers } from './store/audit.ts';
export { failAll, runBatch } from './store/batch.ts';
export { consentHandlers } from './store/consents.ts';
export { closeQuietly, openDatabase } from './store/database.ts';
export { eventHandlers } from './store/events.ts';
export { grantHandlers } from './store/grants.ts';
export { migrate } from './store/migrations.ts';
export { describeFailure, loadSqlite } from './store/sqlite.ts';
export { openStates, type States } from './store/states/stateHandlers.ts';
export { verdictHandlers } from './store/verdicts.ts';
