/** Everything that a store needs, for the store's thread and for programs without persistence. */
export { auditHandlers } from './auditHandlers.ts';
export { failAll, runBatch } from './batch.ts';
export { consentHandlers, verdictHandlers } from './consentHandlers.ts';
export { closeQuietly, openDatabase } from './database.ts';
export { eventHandlers } from './eventHandlers.ts';
export { grantHandlers } from './grantHandlers.ts';
export { migrate } from './migrations.ts';
export { describeFailure, loadSqlite } from './sqlite.ts';
export { openStates, type States } from './states/lineageHandlers.ts';
