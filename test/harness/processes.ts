import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from './progress.ts';

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

export interface RunResult {
  readonly code: number;
  readonly output: string;
}

/** Running children of this process. They are killed when it ends. */
const running = new Set<ChildProcess>();
let isEnding = false;

export const track = (child: ChildProcess): ChildProcess => {
  // A stage may start children while everything is being ended.
  if (isEnding) child.kill('SIGKILL');
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
};

const processTable = (): ReadonlyMap<number, readonly number[]> => {
  const children = new Map<number, number[]>();
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  for (const line of lines) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (pid !== undefined && parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
};

/** A process and all its descendants, parents first. */
export const processTree = (pid: number): readonly number[] => {
  const table = processTable();
  const found = [pid];
  for (let index = 0; index < found.length; index++) found.push(...(table.get(found[index] ?? 0) ?? []));
  return found;
};

/** Empty if the process has ended. */
export const commandLineOf = (pid: number): string => {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' });
  } catch {
    return '';
  }
};

/** A zombie has ended. In a container without an init process, it is never reaped. */
const isZombie = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') === true;
  } catch {
    return false;
  }
};

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
};

const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
};

/** Ends a process and all its descendants. Lists them first, because orphans lose their parent. */
export const endTree = async (pid: number | undefined, graceMs = 3_000): Promise<void> => {
  if (pid === undefined) return;
  const pids = processTree(pid);
  signalAll(pids, 'SIGTERM');
  const limit = Date.now() + graceMs;
  while (pids.some(isAlive) && Date.now() < limit) await delay(50);
  signalAll(pids.filter(isAlive), 'SIGKILL');
};

/** Ends all children, and prevents new ones. */
export const endEverything = async (): Promise<void> => {
  isEnding = true;
  await Promise.all([...running].map((child) => endTree(child.pid)));
};

/** Runs once before a signal ends this process. */
export const onInterrupt = (clean: () => Promise<void>): void => {
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked) return;
      asked = true;
      void clean().finally(() => process.exit(130));
    });
  }
};

/** The environment for npm, without the variables that the calling npm set for this package. */
export const npmEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^npm_(package|lifecycle|config_local_prefix|config_prefix|command|execpath|node_execpath)/.test(name),
    ),
  );

export const run = async (command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> => {
  const child = track(
    spawn(command, args, { cwd: options.cwd, env: options.env ?? process.env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const limit = options.timeoutMs ?? 600_000;
  const timer = setTimeout(() => {
    chunks.push(Buffer.from(`\nStopped: it took longer than ${limit / 1000} s.\n`));
    void endTree(child.pid);
  }, limit);
  const code = await new Promise<number>((done) => {
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${command}: ${error.message}\n`));
      done(127);
    });
    child.once('close', (exitCode) => done(exitCode ?? 1));
  });
  clearTimeout(timer);
  return { code, output: Buffer.concat(chunks).toString('utf8') };
};

/** Like `run`, but throws on failure. `next` is the next step for the user. */
export const mustRun = async (
  command: string,
  args: readonly string[],
  options: RunOptions & { readonly next: string },
): Promise<string> => {
  const { code, output } = await run(command, args, options);
  if (code !== 0) {
    throw new Problem(`"${[command, ...args].join(' ')}" failed with exit code ${code}. ${options.next}`, output);
  }
  return output;
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string')
    throw new Problem('No free port on 127.0.0.1 was found. Try again.');
  return address.port;
};
