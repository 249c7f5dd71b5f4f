import { type Cores, type Job, runJob } from './job.ts';
import type { Measure, Metric, Metrics, Target } from './measure.ts';

export interface Recipe {
  readonly id: string;
  readonly title: string;
  readonly variants: readonly string[];
  readonly metrics: readonly Metric[];
  readonly compared?: Measure['compared'];
  readonly targets: readonly Target[];
  readonly repetitions: number;
  readonly cores: Cores;
  readonly procedure: Job['procedure'];
  readonly params: Job['params'];
}

export const ALL = ['floor', 'peer', 'host', 'sdk1', 'sdk2'] as const;
export const OURS = ['floor', 'peer', 'host'] as const;

export const P50: Metric = { key: 'p50', title: 'p50 µs' };
export const P99: Metric = { key: 'p99', title: 'p99 µs' };
export const CPU: Metric = { key: 'cpu', title: 'CPU µs each' };
export const RATE: Metric = { key: 'rate', title: 'each second' };
export const RSS: Metric = { key: 'rss', title: 'peak MB' };
export const toSdk = (metric: string): Measure['compared'][number] => ({ metric, to: 'sdk1' });
export const toSdk2 = (metric: string): Measure['compared'][number] => ({ metric, to: 'sdk2' });
export const toFloor = (metric: string): Measure['compared'][number] => ({ metric, to: 'floor' });

export const target = (
  id: string,
  what: string,
  metric: string,
  limits: Pick<Target, 'to' | 'atMost' | 'atLeast'> & Partial<Pick<Target, 'of'>>,
): Target => ({
  id,
  what,
  metric,
  of: 'host',
  ...limits,
});

export const toMeasure = ({ cores, procedure, params, ...recipe }: Recipe, nodeFlags: readonly string[]): Measure => ({
  compared: [],
  ...recipe,
  repeat: async (order) => {
    const metrics: Record<string, Metrics> = {};
    for (const variant of order) metrics[variant] = await runJob({ procedure, variant, params }, cores, nodeFlags);
    return metrics;
  },
});
