import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from './sqlite.ts';

/** The schema as steps from an empty database. Never edit a released step; add a new one at the end. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE consents (
     server      TEXT NOT NULL,
     fingerprint TEXT NOT NULL,
     grants      TEXT NOT NULL CHECK (json_valid(grants)),
     at          INTEGER NOT NULL,
     PRIMARY KEY (server, fingerprint)
   ) STRICT`,
  `CREATE TABLE verdicts (
     fingerprint TEXT NOT NULL PRIMARY KEY,
     era         TEXT NOT NULL,
     mcpl        INTEGER NOT NULL,
     at          INTEGER NOT NULL
   ) STRICT`,
  `CREATE TABLE events (
     place        INTEGER PRIMARY KEY,
     id           TEXT NOT NULL UNIQUE,
     server       TEXT NOT NULL,
     event_id     TEXT NOT NULL,
     source       TEXT NOT NULL,
     occurred_at  TEXT NOT NULL,
     received_at  INTEGER NOT NULL,
     inference_id TEXT,
     is_read      INTEGER NOT NULL,
     outcome      TEXT NOT NULL,
     origin       TEXT,
     content      TEXT NOT NULL,
     UNIQUE (server, event_id)
   ) STRICT;
   CREATE TABLE grants (
     id        TEXT NOT NULL PRIMARY KEY,
     direction TEXT NOT NULL,
     kind      TEXT NOT NULL,
     server    TEXT NOT NULL,
     target    TEXT NOT NULL,
     form      TEXT NOT NULL,
     at        INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE audit (
     place        INTEGER PRIMARY KEY AUTOINCREMENT,
     at           INTEGER NOT NULL,
     server       TEXT NOT NULL,
     operation    TEXT NOT NULL,
     feature_set  TEXT,
     inference_id TEXT,
     outcome      TEXT NOT NULL,
     duration_ms  INTEGER NOT NULL,
     detail       TEXT,
     tokens       INTEGER
   ) STRICT;
   CREATE INDEX audit_by_server ON audit (server, place);
   CREATE INDEX audit_by_time ON audit (at);
   CREATE INDEX audit_of_models ON audit (server, at) WHERE tokens IS NOT NULL`,
  `ALTER TABLE grants ADD COLUMN details TEXT CHECK (json_valid(details));
   CREATE INDEX audit_by_operation ON audit (operation, place)`,
  // `body` is the last column, so that reading other columns does not scan megabytes. `state_size` is 0 only without a
  // state. `replay` is the cost of computing the state from the nearest complete one. A parent always has a smaller
  // place than its children. `size` of a lineage counts bodies and snapshots.
  `CREATE TABLE lineages (
     id          INTEGER PRIMARY KEY AUTOINCREMENT,
     server      TEXT NOT NULL,
     feature_set TEXT NOT NULL,
     keeper      TEXT NOT NULL,
     head        INTEGER,
     blocked_by  INTEGER,
     count       INTEGER NOT NULL DEFAULT 0,
     size        INTEGER NOT NULL DEFAULT 0,
     version     INTEGER NOT NULL DEFAULT 0,
     changed_at  INTEGER NOT NULL,
     UNIQUE (server, feature_set)
   ) STRICT;
   CREATE TABLE checkpoints (
     place        INTEGER PRIMARY KEY AUTOINCREMENT,
     lineage      INTEGER NOT NULL,
     checkpoint   TEXT NOT NULL,
     copy         INTEGER NOT NULL,
     parent       INTEGER,
     parent_name  TEXT,
     link         TEXT NOT NULL,
     form         TEXT NOT NULL,
     problem      TEXT,
     is_pruned    INTEGER NOT NULL DEFAULT 0,
     at           INTEGER NOT NULL,
     tool         TEXT,
     args         TEXT,
     conversation TEXT,
     size         INTEGER NOT NULL,
     state_size   INTEGER NOT NULL DEFAULT 0,
     replay       INTEGER NOT NULL DEFAULT 0,
     name         TEXT,
     is_pinned    INTEGER NOT NULL DEFAULT 0,
     body         TEXT,
     UNIQUE (lineage, checkpoint, copy)
   ) STRICT;
   CREATE INDEX checkpoints_in_order ON checkpoints (lineage, place, parent);
   CREATE INDEX checkpoints_by_parent ON checkpoints (parent) WHERE parent IS NOT NULL;
   CREATE TABLE snapshots (
     place INTEGER PRIMARY KEY,
     state TEXT NOT NULL
   ) STRICT;
   CREATE TABLE heads (
     lineage      INTEGER NOT NULL,
     conversation TEXT NOT NULL,
     place        INTEGER NOT NULL,
     at           INTEGER NOT NULL,
     PRIMARY KEY (lineage, conversation)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE head_moves (
     place   INTEGER PRIMARY KEY,
     lineage INTEGER NOT NULL,
     at      INTEGER NOT NULL,
     kind    TEXT NOT NULL,
     origin  INTEGER,
     target  INTEGER NOT NULL,
     refusal TEXT
   ) STRICT;
   CREATE INDEX head_moves_by_target ON head_moves (target, place)`,
  'ALTER TABLE audit ADD COLUMN model TEXT',
];

export const LATEST_VERSION = MIGRATIONS.length;

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

/** An older version must not change newer data, whose columns it does not know. */
export function refuseNewer(database: DatabaseSync): void {
  const version = versionOf(database);
  if (version <= LATEST_VERSION) return;
  throw new StoreError('newer', `It has format ${version}, this version reads formats up to ${LATEST_VERSION}.`);
}

/** Migrates the schema in one transaction. If two processes try at once, the second finds it up to date. */
export function migrate(database: DatabaseSync): void {
  if (versionOf(database) === LATEST_VERSION) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    refuseNewer(database);
    for (const step of MIGRATIONS.slice(versionOf(database))) database.exec(step);
    database.exec(`PRAGMA user_version = ${LATEST_VERSION}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
