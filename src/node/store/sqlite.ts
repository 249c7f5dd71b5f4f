import type * as sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { isRecord, type StoreFailure, type StoreFailureKind } from './contract.ts';

let loaded: typeof sqlite | undefined;

export function loadSqlite(): typeof sqlite {
  loaded ??= withoutItsWarning(() => process.getBuiltinModule('node:sqlite'));
  if (loaded === undefined) throw new StoreError('unavailable', `Node ${process.versions.node} has no node:sqlite.`);
  return loaded;
}

/**
 * Hides SQLite's ExperimentalWarning, and no other warning, from the user's console. The module is loaded at run time
 * because an import would run before this code.
 */
function withoutItsWarning<T>(load: () => T): T {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]): void => {
    if (rest[0] === 'ExperimentalWarning' && /SQLite/.test(String(warning))) return;
    Reflect.apply(emit, process, [warning, ...rest]);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

/** A store failure of known kind. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreFailureKind;

  constructor(kind: StoreFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Primary result codes (https://sqlite.org/rescode.html). The upper bits of a code add detail. */
const KINDS: ReadonlyMap<number, StoreFailureKind> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [8, 'readOnly'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'noAccess'],
  [26, 'damaged'],
  // An I/O error by its primary code. On a full disk, SQLite reports it for shared memory.
  [4874, 'full'],
]);

const SYSTEM_KINDS: ReadonlyMap<string, StoreFailureKind> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'readOnly'],
  ['EACCES', 'noAccess'],
  ['EPERM', 'noAccess'],
  ['ENOTDIR', 'noAccess'],
  ['EEXIST', 'noAccess'],
]);

export function describeFailure(error: unknown): StoreFailure {
  return { kind: kindOf(error), message: error instanceof Error ? error.message : String(error) };
}

function kindOf(error: unknown): StoreFailureKind {
  if (error instanceof StoreError) return error.kind;
  if (!isRecord(error)) return 'other';
  const { errcode, code } = error;
  if (typeof errcode === 'number') return KINDS.get(errcode) ?? KINDS.get(errcode & 0xff) ?? 'other';
  return (typeof code === 'string' ? SYSTEM_KINDS.get(code) : undefined) ?? 'other';
}

/** Runs several reads on one consistent snapshot, whatever another window writes. */
export function inSameView<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec('BEGIN');
  try {
    return work();
  } finally {
    // Nothing was written, so a failure needs no rollback.
    if (database.isTransaction) database.exec('COMMIT');
  }
}
