import type { Guarded } from './guard.ts';
import { type Cores, type Job, runJob } from './job.ts';
import type { Metrics } from './measure.ts';
import { shuffled } from './schedule.ts';

/** The two processes of a try: ours, and the peer as the divisor. */
export interface Pair {
  readonly id: string;
  readonly what: string;
  readonly target: number;
  readonly metric: 'cpu' | 'each';
  readonly of: string;
  readonly to: string;
  readonly cores: Cores;
  readonly procedure: Job['procedure'];
  readonly params: Job['params'];
}

export interface PairOptions {
  /** Time limit of the next measurement. */
  readonly jobMs: () => number;
  readonly random: () => number;
  /** Node flags for our process. */
  readonly ourFlags?: readonly string[];
}

/** CPU time per message of the design's prototype, that of the SDK in the same run, and its speed-up. */
interface Proof {
  readonly cpu: number;
  readonly sdk: number;
  readonly faster: number;
}

/** Targets are speeds. A variant that just reaches the wanted speed uses proportionally more CPU than the prototype. */
const cpuShare = ({ cpu, sdk, faster }: Proof, wanted: number): number => (cpu / sdk) * (faster / wanted);

/** Only CPU time, which other programs disturb least. Counts are limited so that all measures fit into a minute. */
export const PAIRS: readonly Pair[] = [
  {
    id: 'rt',
    what: 'CPU of a call, one at a time / SDK',
    // The target itself.
    target: 0.8,
    metric: 'cpu',
    of: 'host',
    to: 'sdk1',
    cores: 'one',
    procedure: 'roundTrip',
    params: { calls: 10_000, warmUp: 2_000 },
  },
  {
    id: 'pipe',
    what: 'CPU of a call, 64 in flight / SDK',
    // At least 1.8x.
    target: cpuShare({ cpu: 4.75, sdk: 9.5, faster: 2.02 }, 1.8),
    metric: 'cpu',
    of: 'host',
    to: 'sdk1',
    cores: 'two',
    procedure: 'pipelined',
    params: { calls: 50_000, warmUp: 10_000 },
  },
  {
    id: 'notify',
    what: 'CPU of an inbound notification / SDK',
    // At least 4.5x.
    target: cpuShare({ cpu: 2.26, sdk: 14.4, faster: 5.07 }, 4.5),
    metric: 'cpu',
    of: 'host',
    to: 'sdk1',
    cores: 'two',
    procedure: 'notifications',
    params: { count: 60_000, warmUp: 20_000 },
  },
  {
    id: 'inbound',
    what: 'CPU of an inbound request, answered by the connection itself / SDK',
    // At least 2.8x.
    target: cpuShare({ cpu: 2.91, sdk: 10.8, faster: 2.97 }, 2.8),
    metric: 'cpu',
    of: 'host',
    to: 'sdk1',
    cores: 'two',
    procedure: 'pings',
    params: { count: 80_000, warmUp: 20_000 },
  },
  {
    id: 'push',
    what: 'CPU of a push event: checked, deduplicated, limited and answered / SDK',
    // At least 1.8x.
    target: cpuShare({ cpu: 3.52, sdk: 10.8, faster: 2.6 }, 1.8),
    metric: 'cpu',
    of: 'checked',
    to: 'sdk1',
    cores: 'two',
    procedure: 'pushes',
    // Far fewer would measure the compiler: the way of an event through the host is long.
    params: { server: 'mcpl', count: 200_000, warmUp: 40_000 },
  },
  {
    id: 'patches',
    what: 'CPU of a patch on 100 KB, to be undone / rfc6902, which undoes nothing',
    // The target itself.
    target: 1.6,
    metric: 'each',
    of: 'state',
    to: 'rfc6902',
    cores: 'one',
    procedure: 'patching',
    params: { characters: 100_000, patches: 10_000, clones: 100, rounds: 5 },
  },
];

export const guardedPair = (pair: Pair, { jobMs, random, ourFlags = [] }: PairOptions): Guarded => {
  const { id, what, target, metric, of, to, cores, procedure, params } = pair;
  return {
    id,
    what,
    target,
    measure: async () => {
      const taken: Record<string, Metrics> = {};
      for (const variant of shuffled([of, to], random))
        taken[variant] = await runJob({ procedure, variant, params }, cores, variant === of ? ourFlags : [], jobMs());
      return (taken[of]?.[metric] ?? Number.NaN) / (taken[to]?.[metric] ?? Number.NaN);
    },
  };
};
