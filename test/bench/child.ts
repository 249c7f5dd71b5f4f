import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Args, BenchClient, OpenClient } from './clients/client.ts';
import type { FirstContactProcedure } from './firstContactProcedures.ts';
import type { GatewayProcedure } from './gatewayProcedures.ts';
import type { GrowthProcedure } from './growthReadings.ts';
import type { IdleProcedure } from './idleProcedures.ts';
import type { LineageProcedure } from './lineageProcedures.ts';
import type { HostProcedure } from './mcplProcedures.ts';
import type { PatchProcedure } from './patchProcedures.ts';
import type { RedactProcedure } from './redactProcedures.ts';
import type { ScopeProcedure } from './scopeProcedures.ts';
import type { StateProcedure } from './stateProcedures.ts';
import type { StoreProcedure } from './storeProcedures.ts';
import { median, percentile } from './statistics.ts';
import type { Job, Params } from './job.ts';
import type { Metrics } from './measure.ts';

// One measurement in a separate process, without compiled code, allocations or children of other variants.

const MEGABYTE = 1024 * 1024;

const openers: Readonly<Record<string, () => Promise<OpenClient>>> = {
  audited: async () => (await import('./clients/whole.ts')).openAudited,
  floor: async () => (await import('./clients/floor.ts')).openFloor,
  host: async () => (await import('./clients/host.ts')).openHost,
  peer: async () => (await import('./clients/peer.ts')).openPeer,
  sdk1: async () => (await import('./clients/sdk1.ts')).openSdk1,
  sdk2: async () => (await import('./clients/sdk2.ts')).openSdk2,
  whole: async () => (await import('./clients/whole.ts')).openWhole,
};

/** The same clients with their transports for remote servers. */
const httpOpener = async (variant: string, path: string): Promise<OpenClient | undefined> =>
  (await import('./clients/http.ts')).httpOpeners(path)[variant];

const param = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

const openerOf = async ({ variant, params: { path, server } }: Job): Promise<OpenClient | undefined> => {
  if (typeof path === 'string') return httpOpener(variant, path);
  if (server === 'mcpl') return (await import('./clients/mcpl.ts')).mcplOpeners[variant];
  return openers[variant]?.();
};

/** The SDK delivers the last notifications in reactions that run after the answer. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const heapAfterGc = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / MEGABYTE;
};
const rss = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss / MEGABYTE;
};
const peakRss = (): number => process.resourceUsage().maxRSS / 1024;

/** Messages per second, and the client's cost per message. */
const timed = async (count: number, work: () => Promise<unknown>): Promise<Metrics> => {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (count / ms) * 1000, cpu: (user + system) / count };
};

const ECHO: Args = { text: 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.' };

const roundTrip = async (client: BenchClient, params: Params): Promise<Metrics> => {
  const calls = param(params, 'calls');
  for (let i = 0; i < param(params, 'warmUp'); i++) await client.call('echo', ECHO);
  globalThis.gc?.();
  const took = new Float64Array(calls);
  const before = threadMs();
  const { cpu } = await timed(calls, async () => {
    for (let i = 0; i < calls; i++) {
      const started = performance.now();
      await client.call('echo', ECHO);
      took[i] = (performance.now() - started) * 1000;
    }
  });
  const thread = ((threadMs() - before) * 1000) / calls;
  const all = [...took];
  return { p50: median(all), p99: percentile(all, 0.99), cpu: cpu ?? Number.NaN, thread };
};

const IN_FLIGHT = 64;

const pipelined = async (client: BenchClient, params: Params): Promise<Metrics> => {
  const run = async (calls: number): Promise<void> => {
    let left = calls;
    const caller = async (): Promise<void> => {
      while (left-- > 0) await client.call('echo', ECHO);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  };
  await run(param(params, 'warmUp'));
  const heap = heapAfterGc();
  const speed = await timed(param(params, 'calls'), () => run(param(params, 'calls')));
  return { ...speed, rss: peakRss(), heap: heapAfterGc(), growth: heapAfterGc() - heap };
};

/** A call that makes the server send many messages before its answer. */
const flooded =
  (tool: 'flood' | 'progress' | 'pings' | 'push') =>
  async (client: BenchClient, params: Params, heard: () => number): Promise<Metrics> => {
    let progressed = 0;
    const onProgress = tool === 'progress' ? () => progressed++ : undefined;
    await client.call(tool, { count: param(params, 'warmUp') }, onProgress);
    await settled();
    const before = heard() + progressed;
    const count = param(params, 'count');
    const speed = await timed(count, () => client.call(tool, { count }, onProgress));
    await settled();
    return { ...speed, rss: peakRss(), heard: heard() + progressed - before };
  };

const bigCalls = async (
  client: BenchClient,
  tool: string,
  bytes: number,
  calls: number,
): Promise<readonly number[]> => {
  const took: number[] = [];
  for (let i = 0; i < calls; i++) {
    const started = performance.now();
    await client.call(tool, { bytes });
    took.push(performance.now() - started);
  }
  return took;
};

const bigResult = async (client: BenchClient, params: Params): Promise<Metrics> => {
  const bytes = param(params, 'bytes');
  const tool = String(params['tool']);
  await bigCalls(client, tool, bytes, 1);
  const took = median(await bigCalls(client, tool, bytes, param(params, 'calls')));
  return { rate: bytes / 1e6 / (took / 1000), rss: peakRss() };
};

/** The cost of a megabyte in a large and in a small result. */
const growingResult = async (client: BenchClient, params: Params): Promise<Metrics> => {
  const tool = String(params['tool']);
  const perMegabyte = async (bytes: number, calls: number): Promise<number> => {
    await bigCalls(client, tool, bytes, Math.ceil(calls / 4));
    return median(await bigCalls(client, tool, bytes, calls)) / (bytes / 1e6);
  };
  const small = await perMegabyte(1e6, param(params, 'small'));
  const large = await perMegabyte(50e6, param(params, 'large'));
  return { small, large, ratio: large / small };
};

/**
 * The delay of the event loop and the memory during the work. `turn` counts only CPU time of this thread, because on a
 * busy machine the rest of a stall is caused by others.
 */
const watched = async (work: () => Promise<unknown>): Promise<Metrics> => {
  const before = rss();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  let last = threadMs();
  let turn = 0;
  const ticks = setInterval(() => {
    const now = threadMs();
    turn = Math.max(turn, now - last);
    last = now;
  }, 1);
  const started = performance.now();
  delays.enable();
  await work();
  delays.disable();
  clearInterval(ticks);
  return {
    stall: delays.percentile(99.9) / 1e6,
    longest: delays.max / 1e6,
    turn,
    memory: Math.max(0, peakRss() - before),
    seconds: (performance.now() - started) / 1000,
  };
};

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const busy = (microseconds: number): void => {
  const end = performance.now() + microseconds / 1000;
  while (performance.now() < end);
};

const overwhelmed = async (client: BenchClient, params: Params): Promise<Metrics> => {
  const count = param(params, 'count');
  let heard = 0;
  const onProgress = (): void => {
    heard++;
    busy(param(params, 'handler'));
  };
  await client.call('progress', { count: param(params, 'warmUp') }, onProgress);
  await settled();
  heard = 0;
  const metrics = await watched(() => client.call('progress', { count }, onProgress));
  await settled();
  return { ...metrics, heard };
};

const attacked = async (client: BenchClient, params: Params): Promise<Metrics> => {
  for (let i = 0; i < 1_000; i++) await client.call('echo', ECHO);
  const { tool, ...rest } = params;
  const metrics = await watched(() => client.call(String(tool), rest));
  const answer = await client.call('echo', ECHO);
  return { ...metrics, alive: answer === undefined ? 0 : 1 };
};

type Procedure = (client: BenchClient, params: Params, heard: () => number) => Promise<Metrics>;

const procedures: Readonly<Record<string, Procedure>> = {
  roundTrip,
  pipelined,
  notifications: flooded('flood'),
  progress: flooded('progress'),
  pings: flooded('pings'),
  pushes: flooded('push'),
  bigResult,
  growingResult,
  overwhelmed,
  attacked,
};

/** Procedures with a host and several servers, which they open themselves. */
const hostProcedure = async (name: string): Promise<HostProcedure | undefined> =>
  (await import('./mcplProcedures.ts')).hostProcedures[name];

const gatewayProcedure = async (name: string): Promise<GatewayProcedure | undefined> =>
  (await import('./gatewayProcedures.ts')).gatewayProcedures[name];

const redactProcedure = async (name: string): Promise<RedactProcedure | undefined> =>
  (await import('./redactProcedures.ts')).redactProcedures[name];

const firstContactProcedure = async (name: string): Promise<FirstContactProcedure | undefined> =>
  (await import('./firstContactProcedures.ts')).firstContactProcedures[name];

const idleProcedure = async (name: string): Promise<IdleProcedure | undefined> =>
  (await import('./idleProcedures.ts')).idleProcedures[name];

/** Procedures without client and host. */
const scopeProcedure = async (name: string): Promise<ScopeProcedure | undefined> =>
  (await import('./scopeProcedures.ts')).scopeProcedures[name];

const lineageProcedure = async (name: string): Promise<LineageProcedure | undefined> =>
  (await import('./lineageProcedures.ts')).lineageProcedures[name];

const stateProcedure = async (name: string): Promise<StateProcedure | undefined> =>
  (await import('./stateProcedures.ts')).stateProcedures[name];

const patchProcedure = async (name: string): Promise<PatchProcedure | undefined> =>
  (await import('./patchProcedures.ts')).patchProcedures[name];

const storeProcedure = async (name: string): Promise<StoreProcedure | undefined> =>
  (await import('./storeProcedures.ts')).storeProcedures[name];

const growthProcedure = async (name: string): Promise<GrowthProcedure | undefined> =>
  (await import('./growthProcedures.ts')).growthProcedures[name];

const main = async (job: Job): Promise<Metrics> => {
  const procedure = procedures[job.procedure];
  if (procedure === undefined) {
    const other =
      (await scopeProcedure(job.procedure)) ??
      (await patchProcedure(job.procedure)) ??
      (await lineageProcedure(job.procedure)) ??
      (await stateProcedure(job.procedure)) ??
      (await storeProcedure(job.procedure)) ??
      (await gatewayProcedure(job.procedure)) ??
      (await redactProcedure(job.procedure)) ??
      (await firstContactProcedure(job.procedure)) ??
      (await idleProcedure(job.procedure)) ??
      (await growthProcedure(job.procedure)) ??
      (await hostProcedure(job.procedure));
    if (other === undefined) throw new Error(`There is no procedure "${job.procedure}".`);
    return other(job.variant, job.params);
  }
  const open = await openerOf(job);
  if (open === undefined) throw new Error(`There is no variant "${job.variant}".`);
  let notifications = 0;
  const client = await open(() => void notifications++);
  const metrics = await procedure(client, job.params, () => notifications);
  await client.close();
  return metrics;
};

const metrics = await main(JSON.parse(process.argv[2] ?? '{}') as Job);
process.stdout.write(`\n${JSON.stringify(metrics)}\n`);
