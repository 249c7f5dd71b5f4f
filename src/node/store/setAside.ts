import { mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { StoreError } from './sqlite.ts';

const STALE_LOCK_MS = 30_000;
const WAIT_MS = 20;
const MAX_WAITS = 500;

/** Which file this path names now: another window may have replaced it meanwhile. */
export function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}:${stats.birthtimeNs}`;
}

/**
 * Moves a damaged database out of the way after `salvage` has read it, and says where it is; `undefined` when another
 * process did so first, whose new database must not be moved in turn.
 */
export function setAside(file: string, identity: string | undefined, salvage: () => void): string | undefined {
  return exclusively(`${file}.setting-aside`, () => {
    if (identityOf(file) !== identity) return undefined;
    salvage();
    const target = freeName(`${file}.corrupt-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
    // The log first: a new database beside an old log would take over what the log holds.
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
    // Whoever made it was killed: setting aside takes milliseconds.
    if (Date.now() - stats.mtimeMs > STALE_LOCK_MS) rmdirSync(lock);
    return false;
  }
}

/** Blocks this thread, which has nothing else to do. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
