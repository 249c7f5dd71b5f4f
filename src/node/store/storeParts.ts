/** All that a store is made of: in the store's thread, and in a program that keeps nothing. */
export { auditHandlers } from './audit.ts';
export { failAll, runBatch } from './batch.ts';
export { consentHandlers } from './consents.ts';
export { closeQuietly, openDatabase } from './database.ts';
export { eventHandlers } from './events.ts';
export { grantHandlers } from './grants.ts';
export { migrate } from './migrations.ts';
export { describeFailure, loadSqlite } from './sqlite.ts';
export { openStates, type States } from './states/stateHandlers.ts';
export { verdictHandlers } from './verdicts.ts';
