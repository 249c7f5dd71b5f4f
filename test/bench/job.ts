import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../harness/paths.ts';
import { run } from '../harness/processes.ts';
import { Problem } from '../harness/progress.ts';
import type { Metrics } from './measure.ts';

export type Params = Readonly<Record<string, string | number>>;

/** The job of one child process. */
export interface Job {
  readonly procedure:
    | 'roundTrip'
    | 'pipelined'
    | 'notifications'
    | 'progress'
    | 'pings'
    | 'pushes'
    | 'bigResult'
    | 'growingResult'
    | 'overwhelmed'
    | 'attacked'
    | 'hooks'
    | 'pushFlood'
    | 'decisions'
    | 'repeated'
    | 'compiling'
    | 'materialised'
    | 'largeStates'
    | 'stateCalls'
    | 'layout'
    | 'patching'
    | 'patchSuite'
    | 'concurrent'
    | 'lone'
    | 'flooded'
    | 'openLarge'
    | 'gateway'
    | 'redacted'
    | 'firstContact'
    | 'idle'
    | 'hard'
    | 'hardForPicomatch'
    | 'growingServers'
    | 'growingTools'
    | 'growingCheckpoints'
    | 'growingEvents'
    | 'growingGrants'
    | 'growingStates';
  readonly variant: string;
  readonly params: Params;
}

export type Cores = 'one' | 'two';

/** A list such as `0-2,5`, in the kernel's format. */
export const parseCpuList = (text: string): readonly number[] =>
  text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [first = Number.NaN, last = first] = part.split('-').map(Number);
      return Number.isNaN(first) ? [] : Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });

const allowedCpus = (): readonly number[] => {
  const status = '/proc/self/status';
  const list = existsSync(status) ? /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
  return list === undefined ? [] : parseCpuList(list);
};

const taskset = findProgram(['taskset']);
const cpus = allowedCpus();

export const canPin = taskset !== undefined && cpus.length > 0;

/**
 * Runs both ends of a sequential call on one core: on two cores, waking the idle one would dominate. Uses the last
 * cores, because the first serve most interrupts.
 */
export const pinned = (cores: Cores, command: readonly string[]): readonly string[] => {
  if (taskset === undefined || cpus.length === 0) return command;
  return [taskset, '-c', cpus.slice(cores === 'one' ? -1 : -2).join(','), ...command];
};

export const lastLineAs = <T>(output: string): T | undefined => {
  try {
    return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as T;
  } catch {
    return undefined;
  }
};

export const runJob = async (
  job: Job,
  cores: Cores,
  nodeFlags: readonly string[] = [],
  timeoutMs = 300_000,
): Promise<Metrics> => {
  const script = join(import.meta.dirname, 'child.ts');
  const node = [process.execPath, '--expose-gc', ...nodeFlags, script, JSON.stringify(job)];
  const [program = '', ...args] = pinned(cores, node);
  const { code, output } = await run(program, args, { timeoutMs });
  const metrics = code === 0 ? lastLineAs<Metrics>(output) : undefined;
  if (metrics !== undefined) return metrics;
  throw new Problem(`The measurement "${job.procedure}" of "${job.variant}" ended with exit code ${code}.`, output);
};
