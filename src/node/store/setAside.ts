import { mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { StoreError } from './sqlite.ts';

const STALE_LOCK_MS = 30_000;
const WAIT_MS = 20;
const MAX_WAITS = 500;

/** Identifies the current file at a path, which another window may have replaced. */
export function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

/**
 * Moves a damaged database aside after `salvage` has read it. Returns its new path, or `undefined` if another process
 * was first and created a new database, which must stay.
 */
export function setAside(file: string, identity: string | undefined, salvage: () => void): string | undefined {
  return exclusively(`${file}.setting-aside`, () => {
    if (identityOf(file) !== identity) return undefined;
    salvage();
    const target = freeName(`${file}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
    // Moves the log first: a new database next to an old log would replay it.
    for (const suffix of ['-wal', '-shm', '']) renameIfThere(`${file}${suffix}`, `${target}${suffix}`);
    return target;
  });
}

function freeName(wanted: string): string {
  for (let i = 1; i < 100; i++) {
    const name = i === 1 ? wanted : `${wanted}-${i}`;
    if (identityOf(name) === undefined) return name;
  }
  throw new StoreError('other', `There are too many files named ${wanted}.`);
}

function renameIfThere(from: string, to: string): void {
  if (identityOf(from) !== undefined) renameSync(from, to);
}

function exclusively<T>(lock: string, task: () => T): T {
  for (let i = 0; !tryLock(lock); i++) {
    if (i === MAX_WAITS) throw new StoreError('busy', 'Another window is setting the database aside.');
    pause(WAIT_MS);
  }
  try {
    return task();
  } finally {
    rmdirSync(lock);
  }
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    const stats = statSync(lock, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    if (!stats.isDirectory()) throw error;
    // The process with the lock was killed, because setting aside only takes milliseconds.
    if (Date.now() - stats.mtimeMs > STALE_LOCK_MS) rmdirSync(lock);
    return false;
  }
}

/** Blocks this thread, which has no other work. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
