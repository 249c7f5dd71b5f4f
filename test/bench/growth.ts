import { type Cores, type Job, runJob } from './job.ts';
import type { Measure, Metric, Metrics, Target } from './measure.ts';

export interface GrowthRecipe {
  readonly id: string;
  readonly title: string;
  /** From small to large; each is a variant, by its name. The last two say how the cost grows. */
  readonly sizes: readonly Size[];
  readonly metrics: readonly Metric[];
  /** Of the metrics: what must grow no worse than the work does. */
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

/** The row below the sizes. */
export const GROWTH = 'growth';
/** Noise, and steps such as a table that is made twice as large, are no growth. */
export const MAX_GROWTH = 1.5;
/** Of the host's thread, in one go; beyond the parsing of the one message that came. */
const MAX_BLOCKED_MS = 50;
/** What the middle size costs beyond the smallest is not told from noise when it is less than this part of it. */
const NOISE = 0.1;

interface Cost {
  readonly size: number;
  readonly cost: number;
}

/**
 * How many times what one unit costs at the middle size it costs at the largest: 1 where the cost grows as the work does,
 * 10 where it grows with the square. What is paid whatever the size is no part of it: that is what the smallest costs.
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

/** A measure of which each size is a variant, and what becomes of the cost of one a row of its own. */
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
