import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { migrate, refuseNewer } from './migrations.ts';
import { Salvage } from './salvage.ts';
import { identityOf, pause, setAside } from './setAside.ts';
import { describeFailure, loadSqlite, StoreError } from './sqlite.ts';

const BUSY_MS = 5_000;
const WAL_ATTEMPTS = 100;
const WAL_WAIT_MS = 50;
const OPEN_ATTEMPTS = 3;
/** Databases up to this size are checked completely at each start, which takes some milliseconds. */
const CHECKED_WHOLE_BYTES = 4_000_000;
/**
 * In larger databases, where a full check would take seconds on a cold disk, only these small tables are checked. They
 * decide what servers may do. Damage elsewhere shows as `SQLITE_CORRUPT` when it is read; the file is then set aside
 * too. A write-ahead log is no sign of damage: its frames have checksums, and SQLite skips incomplete ones after a
 * crash or a power loss.
 */
const ALWAYS_CHECKED = ['consents', 'verdicts', 'grants', 'lineages', 'heads'];

interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly notices: readonly string[];
}

/**
 * Opens the database. Replaces a damaged one by a new one with all salvaged rows. `isSuspect` means that damage was
 * found, so everything is checked whatever the size.
 */
export function openDatabase(file: string, isSuspect = false): OpenDatabase {
  protect(file);
  const notices: string[] = [];
  const salvage = new Salvage();
  for (let attempt = 1; ; attempt++) {
    const identity = identityOf(file);
    try {
      const database = openSound(file, isSuspect);
      salvage.restore(database);
      return { database, notices };
    } catch (error) {
      if (describeFailure(error).kind !== 'damaged' || attempt === OPEN_ATTEMPTS) throw error;
      const target = setAside(file, identity, () => readDamaged(file, salvage));
      if (target !== undefined) notices.push(noticeOf(target, salvage.summary));
    }
  }
}

/**
 * Restricts the database to this user: it contains states, arguments of calls and decisions. An existing folder keeps
 * its mode, because its owner may share it.
 */
function protect(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite gives its log and shared memory the mode of the database. Restricts files of earlier versions.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) narrow(each);
}

function narrow(file: string): void {
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  } catch {
    // The file does not exist, or another user owns it and decides who may read it.
  }
}

function noticeOf(target: string, found: string): string {
  const kept = found === '' ? 'Nothing could be read from it' : `Kept from it: ${found}`;
  return `The database of MCP Live was damaged and has been set aside as ${target}. ${kept}; servers without a permission ask again before they start.`;
}

function openSound(file: string, isSuspect: boolean): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true });
  try {
    // First of all: without it, statements fail at once while another window writes.
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    refuseNewer(database);
    if (size > 0) check(database, isSuspect || size <= CHECKED_WHOLE_BYTES);
    useWriteAheadLog(database);
    database.exec('PRAGMA synchronous = FULL');
    migrate(database);
    return database;
  } catch (error) {
    closeQuietly(database);
    throw error;
  }
}

function check(database: DatabaseSync, isWhole: boolean): void {
  const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  const checks = ALWAYS_CHECKED.filter((table) => there.get(table) !== undefined).map((table) => `(${table})`);
  for (const part of isWhole ? ['(1)'] : checks) {
    const finding = Object.values(database.prepare(`PRAGMA quick_check${part}`).get() ?? {})[0];
    if (finding !== 'ok') throw new StoreError('damaged', String(finding));
  }
}

/** Switching needs exclusive access and ignores `busy_timeout`. */
function useWriteAheadLog(database: DatabaseSync): void {
  for (let attempt = 1; ; attempt++)
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (describeFailure(error).kind !== 'busy' || attempt === WAL_ATTEMPTS) throw error;
      pause(WAL_WAIT_MS);
    }
}

function readDamaged(file: string, salvage: Salvage): void {
  const { DatabaseSync } = loadSqlite();
  try {
    const damaged = new DatabaseSync(file, { readOnly: true });
    try {
      salvage.read(damaged);
    } finally {
      closeQuietly(damaged);
    }
  } catch {
    // The file cannot be opened, so nothing can be salvaged.
  }
}

export function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch {
    // Nothing else can be done if closing fails.
  }
}
