import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LISTING = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024, windowsHide: true } as const;

/** One process of this machine. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The process group; `undefined` on Windows. */
  readonly group: number | undefined;
  /** The session; known on Linux only. */
  readonly session: number | undefined;
  /** Dead, and only waiting to be noticed by its parent. */
  readonly isZombie: boolean;
  /**
   * When it started, in the words of the system. Two processes that used the same pid one after the other differ in
   * it, and on Linux also those of two boots.
   */
  readonly start: string;
}

/** All processes that can be seen. Slow on Windows (a second): not for the ordinary course of things. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  if (process.platform === 'linux') return listLinux();
  if (process.platform === 'win32') return parseWindowsList((await run('powershell', WINDOWS_LIST, LISTING)).stdout);
  const columns = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='];
  // The locale is pinned: the start time is compared as text.
  return parsePsList((await run('ps', columns, { ...LISTING, env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } })).stdout);
}

/** The start of a process, where it can be had at once: on Linux. */
export function processStartSync(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'), linuxBoot())?.start;
  } catch {
    return undefined;
  }
}

const WINDOWS_LIST = [
  '-NoProfile',
  '-NonInteractive',
  '-Command',
  'Get-CimInstance Win32_Process | ForEach-Object { if ($_.CreationDate) { ' +
    '"$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.ToFileTimeUtc())" } }',
];

async function listLinux(): Promise<readonly ProcessEntry[]> {
  const boot = linuxBoot();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    // A process may end between the listing and the reading.
    pids.map((pid) =>
      readFile(`/proc/${pid}/stat`, 'utf8').then(
        (text) => parseProcStat(text, boot),
        () => undefined,
      ),
    ),
  );
  return entries.filter((entry) => entry !== undefined);
}

let knownBoot: string | undefined;
function linuxBoot(): string {
  try {
    knownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    knownBoot = 'unknown-boot';
  }
  return knownBoot;
}

/** proc(5): the name in brackets may itself hold spaces and brackets, so fields are counted from the last one. */
export function parseProcStat(text: string, boot: string): ProcessEntry | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const ticks = fields[19];
  const pid = Number.parseInt(text, 10);
  if (!Number.isInteger(pid) || ticks === undefined || !/^\d+$/.test(ticks)) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    isZombie: state === 'Z' || state === 'X',
    start: `${boot}/${ticks}`,
  };
}

/** `ps -A -o pid=,ppid=,pgid=,stat=,lstart=` with the C locale. */
export function parsePsList(text: string): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of text.split('\n')) {
    const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line);
    if (found === null) continue;
    const [, pid, parent, group, state = '', start = ''] = found;
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: undefined,
      isZombie: state.startsWith('Z'),
      start: start.replace(/\s+/g, ' '),
    });
  }
  return entries;
}

/** Lines of pid, parent and creation time. */
export function parseWindowsList(text: string): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of text.split('\n')) {
    const found = /^\s*(\d+) (\d+) (\d+)\s*$/.exec(line);
    if (found === null) continue;
    const [, pid, parent, start = ''] = found;
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      group: undefined,
      session: undefined,
      isZombie: false,
      start,
    });
  }
  return entries;
}
