import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

/** The store's thread with a limited number of pages, given in the file name: `room-200.sqlite`. */
const pages = /room-(\d+)\.sqlite$/.exec(String(workerData.file))?.[1] ?? '0';
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (statement) {
  exec.call(this, statement);
  // The last pragma that is set when a database is opened.
  if (statement.startsWith('PRAGMA synchronous')) exec.call(this, `PRAGMA max_page_count = ${pages}`);
};
await import('../../src/node/store/storeWorker.ts');
