import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Host } from '../../src/core/index.ts';
import { benchFolder } from './buildPaths.ts';
import { mcplServer, serverCommand } from './clients/client.ts';
import { GENEROUS, mcplEntry, startHost } from './clients/host.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { askedTogether, type PaceReport, readPaceReport, sumOfReports } from './mcplReadings.ts';
import { models, turn } from './quickTurn.ts';
import { median, percentile } from './statistics.ts';

/** Measures a host with several servers. */
export type HostProcedure = (variant: string, params: Params) => Promise<Metrics>;

const MEGABYTE = 1024 * 1024;

const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

/** The number of servers, and the delay of their answers. */
const CROWDS: Readonly<Record<string, readonly [servers: number, answerAfterMs: number]>> = {
  none: [0, 0],
  ready: [1, 0],
  one: [1, 20],
  twenty: [20, 20],
};

const hooks: HostProcedure = async (variant, params) => {
  const [count, answerAfterMs] = CROWDS[variant] ?? [0, 0];
  const names = Array.from({ length: count }, (_, index) => `server${index}`);
  const entries = Object.fromEntries(names.map((name) => [name, mcplEntry(mcplServer(answerAfterMs))]));
  const host = await startHost(entries, { models });
  for (let i = 0; i < number(params, 'warmUp'); i++) await host.runTurn(turn(i));
  const turns = number(params, 'turns');
  const took: number[] = [];
  const spreads: number[] = [];
  let together = 0;
  const cpu = process.cpuUsage();
  for (let i = 0; i < turns; i++) {
    const started = performance.now();
    const { injectedBy, remarks } = await host.runTurn(turn(i));
    took.push(performance.now() - started);
    if (injectedBy.length !== count) throw new Error(`${injectedBy.length} of ${count} answered. ${remarks.join(' ')}`);
    const asked = askedTogether(
      injectedBy.map(({ namespace }) => Number(namespace)),
      answerAfterMs,
    );
    spreads.push(asked.spread);
    if (asked.beforeAnyAnswer) together++;
  }
  const { user, system } = process.cpuUsage(cpu);
  await host.close();
  return {
    p50: median(took),
    p99: percentile(took, 0.99),
    cpu: (user + system) / turns,
    spread: median(spreads),
    together: together / turns,
  };
};

const FEEDS = ['feed0', 'feed1', 'feed2'];
/** The interval of other calls meanwhile. */
const CALL_EVERY_MS = 100;

/** Factor of the initial rate, so that the heap reaches its final size quickly. */
const HASTE = 5;

/** Read after a garbage collection, so that only retained memory counts. */
const readMemory = (): { readonly heap: number; readonly rss: number } => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / MEGABYTE, rss: rss / MEGABYTE };
};

const pace = async (host: Host, rate: number, seconds: number): Promise<PaceReport> => {
  const args = { rate: rate / FEEDS.length, seconds, length: 200 };
  const answers = await Promise.all(FEEDS.map((server) => host.callTool({ server, tool: 'pace', args, route: 'api' })));
  return sumOfReports(answers.map(({ modelText }) => readPaceReport(modelText)));
};

/** Calls another server until the work is done. Returns the times. */
const callMeanwhile = async (host: Host, until: Promise<unknown>): Promise<readonly number[]> => {
  const took: number[] = [];
  let isOver = false;
  void until.finally(() => (isOver = true));
  while (!isOver) {
    const started = performance.now();
    await host.callTool({ server: 'other', tool: 'echo', args: { text: 'Still there?' }, route: 'api' });
    took.push(performance.now() - started);
    await wait(CALL_EVERY_MS);
  }
  return took;
};

const stalls = (delays: IntervalHistogram): Metrics => ({
  stall: delays.percentile(99) / 1e6,
  longest: delays.max / 1e6,
});

const pushFlood: HostProcedure = async (variant, params) => {
  mkdirSync(benchFolder, { recursive: true });
  const folder = mkdtempSync(join(benchFolder, 'store-'));
  const feeds = Object.fromEntries(FEEDS.map((name) => [name, mcplEntry()]));
  const storageFile = join(folder, 'mcpl.sqlite');
  const host = await startHost({ ...feeds, other: serverCommand }, { limits: GENEROUS, storageFile });
  let largest = 0;
  host.events.onDidChange(() => (largest = Math.max(largest, host.events.list().length)));
  /** Measures during this many seconds. */
  const during = async (seconds: number, rate: number): Promise<PaceReport> => {
    if (variant === 'flood') return pace(host, rate, seconds);
    await wait(seconds * 1000);
    return sumOfReports([]);
  };
  const rate = number(params, 'rate');
  const first = await during(number(params, 'settling'), rate * HASTE);
  const before = readMemory();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  const started = performance.now();
  delays.enable();
  const flood = during(number(params, 'seconds') - number(params, 'settling'), rate);
  const calls = await callMeanwhile(host, flood);
  const rest = await flood;
  delays.disable();
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - started;
  const after = readMemory();
  const all = sumOfReports([first, rest]);
  const metrics = {
    ...stalls(delays),
    call: percentile(calls, 0.99),
    busy: (user + system) / 1000 / ms,
    accepted: all.accepted,
    wrong: all.sent - all.accepted + all.unasked,
    grown: after.rss - before.rss,
    heap: after.heap - before.heap,
    inbox: Math.max(largest, host.events.list().length),
  };
  await host.close();
  rmSync(folder, { recursive: true, force: true });
  return metrics;
};

export const hostProcedures: Readonly<Record<string, HostProcedure>> = { hooks, pushFlood };
