import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, isObject, type Logger, messageOf, NO_LOG } from '../../core/index.ts';
import { nodeClock } from '../nodePorts.ts';
import { listProcesses, type ProcessEntry, processStartSync } from './processList.ts';
import { ProcessTree, send, treeOf } from './processTree.ts';

/** The record of a child on disk, so that a later process can end it. */
interface SpawnRecord {
  readonly pid: number;
  /** Unknown until the system has reported it, which takes a while on macOS and Windows. */
  readonly start: string | undefined;
  readonly ownerPid: number;
  readonly ownerStart: string | undefined;
  readonly command: string;
}

/** The record of one child. */
export interface Recorded {
  /** Call this when the child and its descendants have ended. */
  remove(): void;
}

/** Records every child of this process. An unwritable folder loses the record, never the child. */
export class SpawnRecords {
  readonly #folder: string;
  readonly #log: Logger;

  constructor(folder: string, log: Logger = NO_LOG) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Synchronous, so that the record exists even if the host is killed right after the spawn. */
  add(pid: number, command: string): Recorded {
    const record: SpawnRecord = {
      pid,
      start: processStartSync(pid),
      ownerPid: process.pid,
      ownerStart: processStartSync(process.pid),
      command: basename(command),
    };
    const file = join(this.#folder, `${process.pid}-${pid}.json`);
    let isRemoved = false;
    this.#write(file, record);
    if (record.start === undefined) {
      void listProcesses().then(
        (processes) => {
          if (!isRemoved) this.#write(file, withStarts(record, processes));
        },
        (error: unknown) => this.#log.log('warn', `The start of process ${pid} is unknown: ${messageOf(error)}`),
      );
    }
    return {
      remove: () => {
        isRemoved = true;
        try {
          rmSync(file, { force: true });
        } catch (error) {
          // A leftover record is harmless: it names a process that has ended.
          this.#log.log('debug', `The record of process ${pid} could not be removed: ${messageOf(error)}`);
        }
      },
    };
  }

  #write(file: string, record: SpawnRecord): void {
    const draft = `${file}.tmp`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
      renameSync(draft, file);
    } catch (error) {
      this.#log.log('warn', `The record of process ${record.pid} could not be written: ${messageOf(error)}`);
    }
  }
}

interface EndOrphansOptions {
  readonly log?: Logger;
  readonly clock?: Clock;
  /** How long an orphan may take to end before it is killed. */
  readonly termMs?: number;
}

/**
 * Ends the children of hosts that are gone, and deletes their records. Only touches a process if its pid and start time
 * match the record and its owner is not alive. Returns the number of ended trees.
 */
export async function endOrphans(folder: string, options: EndOrphansOptions = {}): Promise<number> {
  const log = options.log ?? NO_LOG;
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) return 0;
  const processes = await listProcesses();
  const files = names.filter((name) => name.endsWith('.json'));
  await Promise.all(names.filter((name) => isAbandonedDraft(name, processes)).map((name) => rm(join(folder, name))));
  const ended = await Promise.all(files.map((name) => endOrphan(join(folder, name), processes, options, log)));
  return ended.filter(Boolean).length;
}

async function endOrphan(
  file: string,
  processes: readonly ProcessEntry[],
  options: EndOrphansOptions,
  log: Logger,
): Promise<boolean> {
  const record = parseRecord(await readFile(file, 'utf8').catch(() => ''));
  if (record === undefined) {
    log.log('warn', `Removed ${basename(file)}: it is no record of a process.`);
    await rm(file, { force: true });
    return false;
  }
  if (isSameAlive(processes, record.ownerPid, record.ownerStart)) return false;
  const orphaned = record.start !== undefined && isOrphaned(record.pid, record.start, processes);
  if (orphaned) {
    const isGone = await endTree(record.pid, options.termMs ?? 2_000, options.clock ?? nodeClock);
    const outcome = isGone ? 'Ended' : 'Could not end';
    log.log('info', `${outcome} ${record.command} (process ${record.pid}), which an earlier session had left running.`);
    if (!isGone) return false;
  }
  await rm(file, { force: true });
  return orphaned;
}

async function endTree(pid: number, termMs: number, clock: Clock): Promise<boolean> {
  const tree = new ProcessTree(pid);
  await tree.signal('SIGTERM');
  if (await tree.waitForEnd(termMs, clock)) return true;
  await tree.signal('SIGKILL');
  return tree.waitForEnd(1_000, clock);
}

/**
 * Whether the recorded child or its group still exists. A pid is not reused while a group has that number. A group with
 * a dead leader belongs to someone else only if that leader had a session with the same number in the meantime. Members
 * with an earlier start or another boot are ruled out, which only works on Linux.
 */
function isOrphaned(pid: number, start: string, processes: readonly ProcessEntry[]): boolean {
  const leader = processes.find((entry) => entry.pid === pid);
  if (leader !== undefined && !leader.isZombie) return leader.start === start;
  if (process.platform !== 'linux' || !send(-pid, 0)) return false;
  if (leader !== undefined && leader.start !== start) return false;
  const members = treeOf(pid, processes);
  return members.length > 0 && members.every((entry) => entry.session === pid && isLater(entry.start, start));
}

/** Linux only: the same boot, and not earlier. */
function isLater(start: string, than: string): boolean {
  const [boot, ticks] = start.split('/');
  const [otherBoot, otherTicks] = than.split('/');
  return boot === otherBoot && Number(ticks) >= Number(otherTicks);
}

function isSameAlive(processes: readonly ProcessEntry[], pid: number, start: string | undefined): boolean {
  const entry = processes.find((candidate) => candidate.pid === pid && !candidate.isZombie);
  // Without a recorded start time, an owner counts as alive if its pid is in use.
  return entry !== undefined && (start === undefined || entry.start === start);
}

/** A draft whose writer was killed. */
function isAbandonedDraft(name: string, processes: readonly ProcessEntry[]): boolean {
  const owner = /^(\d+)-\d+\.json\.tmp$/.exec(name)?.[1];
  return owner !== undefined && !processes.some((entry) => entry.pid === Number(owner));
}

function withStarts(record: SpawnRecord, processes: readonly ProcessEntry[]): SpawnRecord {
  const startOf = (pid: number): string | undefined => processes.find((entry) => entry.pid === pid)?.start;
  return { ...record, start: startOf(record.pid), ownerStart: startOf(record.ownerPid) };
}

function parseRecord(text: string): SpawnRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { pid, start, ownerPid, ownerStart, command } = value;
  if (!isPid(pid) || !isPid(ownerPid)) return undefined;
  return {
    pid,
    start: typeof start === 'string' ? start : undefined,
    ownerPid,
    ownerStart: typeof ownerStart === 'string' ? ownerStart : undefined,
    command: typeof command === 'string' ? command : 'a process',
  };
}

/** Never 0, 1 or negative: signalling those would reach many processes. */
function isPid(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 1;
}
