import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

/** The store's thread on a disk with room for as many pages as the file's name says: `room-200.sqlite`. */
const pages = /room-(\d+)\.sqlite$/.exec(String(workerData.file))?.[1] ?? '0';
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (statement) {
  exec.call(this, statement);
  // The last that is set when a database is opened.
  if (statement.startsWith('PRAGMA synchronous')) exec.call(this, `PRAGMA max_page_count = ${pages}`);
};
await import('../../src/node/store/storeWorker.ts');
