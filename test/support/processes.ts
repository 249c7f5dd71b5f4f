import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process exists. Zombies have ended and only wait to be reaped. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== 'linux' || stateOf(pid) !== 'Z';
}

/** All descendants of this process (Linux only; empty on other systems). */
export function descendants(root = process.pid): number[] {
  if (process.platform !== 'linux') return [];
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const fields = Number.isInteger(pid) ? statFields(pid) : undefined;
    if (fields !== undefined && fields[0] !== 'Z') parents.set(pid, Number(fields[1]));
  }
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) if (at === root) return true;
    return false;
  };
  return [...parents.keys()].filter(isBelow);
}

export async function waitUntil(what: string, condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function stateOf(pid: number): string | undefined {
  return statFields(pid)?.[0];
}

/** The fields of `/proc/<pid>/stat` after the name, which may contain anything. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
