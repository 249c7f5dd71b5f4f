/** All that a store is made of: in the store's thread, and in a program that keeps nothing. */
export { auditHandlers } from './auditHandlers.ts';
export { failAll, runBatch } from './batch.ts';
export { consentHandlers } from './consentHandlers.ts';
export { closeQuietly, openDatabase } from './database.ts';
export { eventHandlers } from './eventHandlers.ts';
export { grantHandlers } from './grantHandlers.ts';
export { migrate } from './migrations.ts';
export { describeFailure, loadSqlite } from './sqlite.ts';
export { openStates, type States } from './states/stateHandlers.ts';
export { verdictHandlers } from './consentHandlers.ts';
