import type { DatabaseSync } from 'node:sqlite';

/** Several statements that see the same, whatever another window writes meanwhile. */
export function inSameView<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec('BEGIN');
  try {
    return work();
  } finally {
    // Nothing was written: there is nothing that a failure would have to take back.
    if (database.isTransaction) database.exec('COMMIT');
  }
}
