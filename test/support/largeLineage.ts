import { DatabaseSync } from 'node:sqlite';
import { closeQuietly, openDatabase } from '../../src/node/store/database.ts';
import { migrate } from '../../src/node/store/migrations.ts';

/** Writes a lineage with this many complete states, as fast as possible. */
export function makeLarge(file: string, count: number, characters = 800): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  migrate(database);
  database.exec(
    `BEGIN;
     INSERT INTO lineages (id, server, feature_set, keeper, head, count, size, version, changed_at)
       VALUES (1, 'notes', 'notes.write', 'host', ${count}, ${count}, ${count * (characters + 2)}, ${count}, 1);
     INSERT INTO grants VALUES ('one', 'toServer', 'featureSet', 'feed', 'feed.items', 'form', 1, NULL);
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO checkpoints (lineage, checkpoint, copy, parent, link, form, at, tool, size, state_size, body)
       SELECT 1, 'chk_' || i, 1, nullif(i - 1, 0), 'named', 'data', i, 'edit', ${characters + 2}, ${characters + 2}, '"' || printf('%.${characters}c', 'x') || '"' FROM n;
     COMMIT`,
  );
  database.close();
}

/** The time in milliseconds until the store answers. */
export function openingMs(file: string): number {
  const started = performance.now();
  const { database } = openDatabase(file);
  database.prepare('SELECT * FROM lineages').all();
  const ms = performance.now() - started;
  closeQuietly(database);
  return ms;
}
