export type Metrics = Readonly<Record<string, number>>;

export interface Metric {
  readonly key: string;
  /** Heads the column; the unit is part of it. */
  readonly title: string;
}

/** A goal of the project; `to` names the variant that the measured one is divided by. */
export interface Target {
  readonly id: string;
  readonly what: string;
  readonly metric: string;
  readonly of: string;
  readonly to?: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Measure {
  /** What `--only` names; several measures may share it. */
  readonly id: string;
  readonly title: string;
  readonly variants: readonly string[];
  readonly metrics: readonly Metric[];
  /** Shown as ratios to other variants, beside those of the targets. */
  readonly compared: readonly { readonly metric: string; readonly to: string }[];
  readonly targets: readonly Target[];
  readonly repetitions: number;
  /** Measures every variant once, in the order given. */
  readonly repeat: (order: readonly string[]) => Promise<Readonly<Record<string, Metrics>>>;
}

/** All that is known of a measure without the means to take it again: what a report needs, and a file can keep. */
export type Described = Omit<Measure, 'repeat'>;

/** What was measured, a list with one entry a repetition for each variant. */
export type Samples = Readonly<Record<string, readonly Metrics[]>>;

export const valuesOf = (samples: Samples, variant: string, metric: string): readonly number[] =>
  (samples[variant] ?? []).map((metrics) => metrics[metric] ?? Number.NaN);
