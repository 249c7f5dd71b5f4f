import { startIdleServers } from './idleServers.ts';
import { runJob } from './job.ts';
import type { Measure, Metric, Metrics, Target } from './measure.ts';

/**
 * Relative to a peer in the same minute, because the cost of a wake-up doubles at some hours, even for an empty Node
 * process.
 */
const MAX_OF_SDK = 0.2;
const ONCE_A_SECOND = 1;

const METRICS: readonly Metric[] = [
  { key: 'added', title: 'CPU +ms a minute' },
  { key: 'cpu', title: 'CPU ms a minute' },
  { key: 'wakes', title: 'wake-ups a minute' },
  { key: 'timers', title: 'timers a minute' },
  { key: 'busiest', title: 'busiest a second' },
  { key: 'short', title: 'under 1 s a minute' },
  { key: 'servers', title: "servers' CPU ms" },
  { key: 'heap', title: 'heap MB' },
  { key: 'rss', title: 'RSS MB' },
];

const target = (what: string, metric: string, limits: Pick<Target, 'to' | 'atMost'>): Target => ({
  id: 'idle',
  what,
  metric,
  of: 'ten',
  ...limits,
});

/** All variants of a repetition idle at the same time, so that disturbances affect all of them. */
const repeat = async (order: readonly string[], params: Params, nodeFlags: readonly string[]): Promise<Results> => {
  const servers = await startIdleServers();
  try {
    const job = { procedure: 'idle', params: { ...params, entries: JSON.stringify(servers.entries) } } as const;
    const measured = await Promise.all(
      order.map(async (variant) => [variant, await runJob({ ...job, variant }, 'two', nodeFlags)] as const),
    );
    const base = Object.fromEntries(measured)['none']?.['cpu'] ?? Number.NaN;
    return Object.fromEntries(
      measured.map(([variant, metrics]) => [variant, { ...metrics, added: (metrics['cpu'] ?? Number.NaN) - base }]),
    );
  } finally {
    await servers.stop();
  }
};

type Params = Readonly<Record<'settle' | 'seconds', number>>;
type Results = Readonly<Record<string, Metrics>>;

export const idleMeasure = (quick: boolean, nodeFlags: readonly string[]): Measure => ({
  id: 'idle',
  title: 'Ten servers that have nothing to do, beside none and beside nothing but Node',
  variants: ['node', 'none', 'ten', 'sdk1'],
  metrics: METRICS,
  compared: [],
  targets: [
    target('CPU that ten idle servers add / SDK, of the same ten', 'added', { to: 'sdk1', atMost: MAX_OF_SDK }),
    target('busiest timer of ten idle servers: each second', 'busiest', { atMost: ONCE_A_SECOND }),
    target('timers of less than a second: a minute', 'short', { atMost: 0 }),
  ],
  repetitions: 3,
  repeat: (order) => repeat(order, { settle: 10, seconds: quick ? 10 : 60 }, nodeFlags),
});
