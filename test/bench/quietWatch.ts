import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Metrics } from './measure.ts';
import { type FiredTimer, TimerCount, totalFired } from './timerCount.ts';

const MEGABYTE = 1024 * 1024;
const MINUTE_MS = 60_000;
/** A timer with a shorter delay may fire more than once a second. */
const SECOND_MS = 1_000;
/** The kernel counts CPU of other processes in hundredths of a second. */
const TICK_MS = 10;

/**
 * Through the inspector, because an editor's Node has no flag for it, and changing flags later keeps V8 busy for a
 * minute.
 */
const collect = async (): Promise<void> => {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
};

/** CPU time of all child processes in milliseconds. Zero without /proc. */
const childrenCpu = (): number => {
  const stats = new Map<number, { readonly parent: number; readonly ms: number }>();
  try {
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) addStat(stats, Number(name));
  } catch {
    return Number.NaN;
  }
  const isBelow = (pid: number): boolean => {
    const parent = stats.get(pid)?.parent ?? 0;
    return parent === process.pid || (parent > 1 && isBelow(parent));
  };
  return [...stats].reduce((sum, [pid, { ms }]) => sum + (isBelow(pid) ? ms : 0), 0);
};

const addStat = (stats: Map<number, { readonly parent: number; readonly ms: number }>, pid: number): void => {
  try {
    // The fields after the name, which may contain anything: state, parent, …, with utime and stime as the 12th and
    // 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    stats.set(pid, { parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS });
  } catch {
    // The process has ended meanwhile.
  }
};

export interface QuietOptions {
  /** Waits for earlier work to end: compilation, garbage collection, keep-alive connections. */
  readonly settleMs: number;
  readonly ms: number;
  /** Whether a timer belongs to the product, by a line of its stack or the source of its callback. */
  readonly isOurs: (text: string) => boolean;
}

/** The cost of an idle process, per minute regardless of the duration. */
export class QuietWatch {
  readonly #options: QuietOptions;
  readonly #timers: TimerCount;

  constructor(options: QuietOptions) {
    this.#options = options;
    this.#timers = new TimerCount(options.isOurs);
    this.#timers.watch();
  }

  async settle(): Promise<void> {
    await wait(this.#options.settleMs);
    await collect();
    await wait(SECOND_MS);
  }

  async measure(): Promise<{ readonly metrics: Metrics; readonly timers: readonly FiredTimer[] }> {
    const children = childrenCpu();
    const before = process.resourceUsage();
    const started = performance.now();
    const cpu = process.cpuUsage();
    this.#timers.start();
    await wait(this.#options.ms);
    const timers = this.#timers.stop().filter(({ where }) => !where.includes('QuietWatch'));
    const { user, system } = process.cpuUsage(cpu);
    const minutes = (performance.now() - started) / MINUTE_MS;
    const after = process.resourceUsage();
    const servers = (childrenCpu() - children) / minutes;
    await collect();
    const { heapUsed, rss } = process.memoryUsage();
    const ours = timers.filter(({ isOurs }) => isOurs);
    const metrics: Metrics = {
      cpu: (user + system) / 1000 / minutes,
      wakes: (after.voluntaryContextSwitches - before.voluntaryContextSwitches) / minutes,
      timers: totalFired(timers) / minutes,
      ours: totalFired(ours) / minutes,
      // A location may have several timers, so the sum of all is the strictest count.
      busiest: Math.max(0, ...ours.map(({ fired }) => fired)) / (minutes * 60),
      short: totalFired(ours.filter(({ shortestMs }) => shortestMs < SECOND_MS)) / minutes,
      servers,
      heap: heapUsed / MEGABYTE,
      rss: rss / MEGABYTE,
    };
    return { metrics, timers };
  }
}
