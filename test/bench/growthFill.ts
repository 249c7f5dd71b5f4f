import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../src/node/store/database.ts';

/** Writes rows like the product, many at once, because a host would take minutes for a hundred thousand. */
const filling = (file: string, fill: (database: DatabaseSync) => void): void => {
  const { database } = openDatabase(file);
  database.exec('BEGIN');
  fill(database);
  database.exec('COMMIT');
  database.close();
};

const NUMBERS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
/** The size of a state with its member `n` of ten digits and 800 characters of text. */
const STATE_SIZE = 830;

/** One lineage in which each checkpoint has its own object as state. */
export const fillCheckpoints = (file: string, count: number): void =>
  filling(file, (database) => {
    const at = Date.now() - 1_000_000;
    database
      .prepare(
        `INSERT INTO lineages (id, server, feature_set, keeper, head, count, size, version, changed_at)
         VALUES (1, 'bench', 'bench.notes', 'host', ?, ?, ?, ?, ?)`,
      )
      .run(count, count, count * STATE_SIZE, count, at);
    database
      .prepare(
        `INSERT INTO checkpoints (lineage, checkpoint, copy, parent, link, form, at, tool, size, state_size, body)
         ${NUMBERS} SELECT 1, 'chk_' || i, 1, nullif(i - 1, 0), iif(i = 1, 'none', 'named'), 'data', ? + i, 'edit',
           ${STATE_SIZE}, ${STATE_SIZE}, '{"n":' || (1000000000 + i) || ',"text":"' || printf('%.805c', 'x') || '"}' FROM n`,
      )
      .run(count, at);
  });

export const fillEvents = (file: string, count: number): void =>
  filling(file, (database) => {
    database
      .prepare(
        `INSERT INTO events (id, server, event_id, source, occurred_at, received_at, is_read, outcome, origin, content)
         ${NUMBERS} SELECT 'filled-' || i, 'bench', 'filled-' || i, '{"kind":"push","featureSet":"bench.events"}',
           '2026-01-01T00:00:00.000Z', ? + i, 0, '{"kind":"none"}', '{"source":"bench"}',
           '[{"type":"text","text":"Something happened: ' || printf('%.180c', 'x') || '"}]' FROM n`,
      )
      .run(count, Date.now() - 1_000_000);
  });

/** Copies the only grant, each for another path. */
export const fillGrants = (file: string, count: number): void =>
  filling(file, (database) => {
    database
      .prepare(
        `INSERT INTO grants (id, direction, kind, server, target, form, at, details)
         ${NUMBERS} SELECT printf('%032x', i), direction, kind, server, printf('%032x', i), form, at - i,
           json_set(details, '$.targets', json_array('/project/file-' || i), '$.label', '/project/file-' || i)
         FROM n, (SELECT * FROM grants WHERE kind = 'scope' LIMIT 1)`,
      )
      .run(count);
  });

/** The number of grants, as read by another program. */
export const grantsIn = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS count FROM grants WHERE kind = 'scope'").get()?.['count']);
  } finally {
    database.close();
  }
};
