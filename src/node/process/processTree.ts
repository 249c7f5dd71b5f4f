import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Clock } from '../../core/index.ts';
import { listProcesses, type ProcessEntry } from './processList.ts';

const run = promisify(execFile);
const POLL_MS = 25;

type EndSignal = 'SIGTERM' | 'SIGKILL';

/**
 * A child process with all descendants. On POSIX the child leads a process group, so that processes are found even if
 * their parents are gone, as when `npx` exits and leaves the server running.
 */
export class ProcessTree {
  readonly #root: number;
  /** Members that left the group, by pid. After their parent has died, nothing else leads to them. */
  readonly #strays = new Map<number, ProcessEntry>();

  constructor(root: number) {
    this.#root = root;
  }

  /** Signals all processes. Windows only supports termination by force. */
  async signal(signal: EndSignal): Promise<void> {
    if (process.platform === 'win32') {
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      await run('taskkill', ['/PID', String(this.#root), '/T', ...force], { windowsHide: true }).catch(() => undefined);
      return;
    }
    for (const member of await this.#members()) {
      if (member.group !== this.#root) this.#strays.set(member.pid, member);
    }
    send(-this.#root, signal);
    for (const stray of this.#strays.keys()) send(stray, signal);
  }

  /** Whether any process is alive. Zombies do not count. */
  async isAlive(): Promise<boolean> {
    if (process.platform === 'win32') return send(this.#root, 0);
    if (!send(-this.#root, 0) && this.#strays.size === 0) return false;
    return (await this.#members()).length > 0;
  }

  /** Waits until all have ended. Resolves with false after `ms`. */
  async waitForEnd(ms: number, clock: Clock): Promise<boolean> {
    const end = clock.now() + ms;
    for (;;) {
      if (!(await this.isAlive())) return true;
      if (clock.now() >= end) return false;
      await new Promise<void>((resolve) => {
        const timer = clock.delay(POLL_MS, () => {
          timer.dispose();
          resolve();
        });
      });
    }
  }

  async #members(): Promise<readonly ProcessEntry[]> {
    const processes = await listProcesses().catch(() => []);
    const known = new Map(processes.map((entry) => [entry.pid, entry]));
    for (const [pid, stray] of this.#strays) {
      const now = known.get(pid);
      if (now === undefined || now.isZombie || now.start !== stray.start) this.#strays.delete(pid);
    }
    return treeOf(this.#root, processes, this.#strays.keys());
  }
}

/** The living members of a tree: the root's group and session, and all descendants. */
export function treeOf(
  root: number,
  processes: readonly ProcessEntry[],
  others: Iterable<number> = [],
): readonly ProcessEntry[] {
  const roots = new Set([root, ...others]);
  const byParent = new Map<number, ProcessEntry[]>();
  for (const entry of processes) {
    const siblings = byParent.get(entry.parent);
    if (siblings === undefined) byParent.set(entry.parent, [entry]);
    else siblings.push(entry);
  }
  const members = new Map<number, ProcessEntry>();
  const open = processes.filter((entry) => roots.has(entry.pid) || entry.group === root || entry.session === root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (members.has(next.pid)) continue;
    members.set(next.pid, next);
    open.push(...(byParent.get(next.pid) ?? []));
  }
  return [...members.values()].filter((entry) => !entry.isZombie);
}

/** Returns whether the process exists. */
export function send(pid: number, signal: EndSignal | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // It exists but may not be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
