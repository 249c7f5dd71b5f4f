export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

const ascending = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);

const at = (sorted: readonly number[], index: number): number => sorted[index] ?? Number.NaN;

/** No median if a value is missing, because the others might look better than they are. */
export const median = (values: readonly number[]): number => {
  if (values.some(Number.isNaN)) return Number.NaN;
  const sorted = ascending(values);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? at(sorted, Math.floor(middle)) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
};

/** The smallest value that at least this share of the values does not exceed. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = ascending(values);
  return at(sorted, Math.max(0, Math.ceil(sorted.length * share) - 1));
};

export const spread = (values: readonly number[]): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

/** Ratios of values from the same repetition. A slow machine affects both, so ratios vary far less than values. */
export const pairedRatios = (of: readonly number[], to: readonly number[]): readonly number[] => {
  if (of.length !== to.length) throw new RangeError(`${of.length} values cannot be paired with ${to.length}.`);
  return of.map((value, repetition) => value / at(to, repetition));
};
