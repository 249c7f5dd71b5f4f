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
  /** The process group. `undefined` on Windows. */
  readonly group: number | undefined;
  /** The session. Known on Linux only. */
  readonly session: number | undefined;
  /** Ended, but not yet reaped by its parent. */
  readonly isZombie: boolean;
  /**
   * Start time in the system's format. It distinguishes processes with a reused pid, and on Linux also different boots.
   */
  readonly start: string;
}

/** All visible processes. Takes a second on Windows, so use it rarely. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  if (process.platform === 'linux') return listLinux();
  if (process.platform === 'win32') return parseWindowsList((await run('powershell', WINDOWS_LIST, LISTING)).stdout);
  const columns = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='];
  // The fixed locale makes start times comparable as text.
  return parsePsList((await run('ps', columns, { ...LISTING, env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' } })).stdout);
}

/** The start time of a process if it is available at once, which is on Linux only. */
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
    // A process may end between listing and reading.
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

/** proc(5): the name in brackets may contain spaces and brackets, so count fields after the last bracket. */
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

/** Parses `ps -A -o pid=,ppid=,pgid=,stat=,lstart=` in the C locale. */
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

/** Lines with pid, parent and creation time. */
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
