export type Metrics = Readonly<Record<string, number>>;

export interface Metric {
  readonly key: string;
  /** The column title, including the unit. */
  readonly title: string;
}

/** A goal of the project. `to` is the variant used as divisor. */
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
  /** The name for `--only`. Several measures may share it. */
  readonly id: string;
  readonly title: string;
  readonly variants: readonly string[];
  readonly metrics: readonly Metric[];
  /** Additional ratios to show, besides those of the targets. */
  readonly compared: readonly { readonly metric: string; readonly to: string }[];
  readonly targets: readonly Target[];
  readonly repetitions: number;
  /** Measures every variant once, in the order given. */
  readonly repeat: (order: readonly string[]) => Promise<Readonly<Record<string, Metrics>>>;
}

/** A measure without its procedure, for reports and files. */
export type Described = Omit<Measure, 'repeat'>;

/** The samples of each variant, one entry per repetition. */
export type Samples = Readonly<Record<string, readonly Metrics[]>>;

export const valuesOf = (samples: Samples, variant: string, metric: string): readonly number[] =>
  (samples[variant] ?? []).map((metrics) => metrics[metric] ?? Number.NaN);
