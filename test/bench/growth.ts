import { type Cores, type Job, runJob } from './job.ts';
import type { Measure, Metric, Metrics, Target } from './measure.ts';

export interface GrowthRecipe {
  readonly id: string;
  readonly title: string;
  /** The sizes in ascending order, as variants. The last two determine the growth. */
  readonly sizes: readonly Size[];
  readonly metrics: readonly Metric[];
  /** The metrics that must not grow faster than the work. */
  readonly costs: readonly string[];
  readonly repetitions: number;
  readonly cores: Cores;
  readonly procedure: Job['procedure'];
  readonly params: Job['params'];
}

export interface Size {
  readonly name: string;
  readonly size: number;
}

/** The name of the row below the sizes. */
export const GROWTH = 'growth';
/** Allows for noise, and for steps such as a doubled table. */
export const MAX_GROWTH = 1.5;
/** Maximum time for which the host's thread may block, in addition to parsing one received message. */
const MAX_BLOCKED_MS = 50;
/** Differences between the smallest and the middle size below this share are noise. */
const NOISE = 0.1;

interface Cost {
  readonly size: number;
  readonly cost: number;
}

/**
 * The cost of one unit at the largest size, divided by that at the middle size: 1 for linear growth, 10 for quadratic
 * growth. Constant costs, which the smallest size shows, are subtracted.
 */
export const growthOf = (smallest: Cost, middle: Cost, largest: Cost): number => {
  const perUnit = ({ size, cost }: Cost, least = 0): number =>
    Math.max(cost - smallest.cost, least) / (size - smallest.size);
  return perUnit(largest) / perUnit(middle, smallest.cost * NOISE);
};

const growthRow = ({ sizes, costs }: GrowthRecipe, measured: Readonly<Record<string, Metrics>>): Metrics => {
  const [smallest, middle, largest] = [sizes.at(0), sizes.at(-2), sizes.at(-1)];
  if (smallest === undefined || middle === undefined || largest === undefined) return {};
  const costOf = ({ name, size }: Size, key: string): Cost => ({ size, cost: measured[name]?.[key] ?? Number.NaN });
  return Object.fromEntries(
    costs.map((key) => [key, growthOf(costOf(smallest, key), costOf(middle, key), costOf(largest, key))]),
  );
};

const targetsOf = ({ title, sizes, metrics, costs }: GrowthRecipe): readonly Target[] => {
  const titleOf = (key: string): string => metrics.find((metric) => metric.key === key)?.title ?? key;
  const of = sizes.at(-1)?.name ?? '';
  return [
    ...costs.map((metric) => ({
      id: '8a',
      what: `${title}: what one more costs, growth (${titleOf(metric)})`,
      metric,
      of: GROWTH,
      atMost: MAX_GROWTH,
    })),
    { id: '8b', what: `${title}, ${of}: longest work ms`, metric: 'longest', of, atMost: MAX_BLOCKED_MS },
  ];
};

/** A measure with each size as a variant, and a row for the growth. */
export const growthMeasure = (recipe: GrowthRecipe, nodeFlags: readonly string[]): Measure => {
  const { id, title, sizes, metrics, repetitions, cores, procedure, params } = recipe;
  const sizeOf = new Map(sizes.map(({ name, size }) => [name, size]));
  return {
    id,
    title,
    variants: [...sizes.map(({ name }) => name), GROWTH],
    metrics,
    compared: [],
    targets: targetsOf(recipe),
    repetitions,
    repeat: async (order) => {
      const measured: Record<string, Metrics> = {};
      for (const variant of order) {
        const size = sizeOf.get(variant);
        if (size === undefined) continue;
        measured[variant] = await runJob({ procedure, variant, params: { ...params, size } }, cores, nodeFlags);
      }
      return { ...measured, [GROWTH]: growthRow(recipe, measured) };
    },
  };
};
