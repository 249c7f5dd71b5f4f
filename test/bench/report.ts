import { type Described, type Measure, type Samples, valuesOf } from './measure.ts';
import { pairedRatios, spread } from './statistics.ts';
import { figure, range, type Table, table } from './table.ts';
import { judge, type Verdict } from './verdict.ts';

export interface Measured {
  readonly measure: Described;
  readonly samples: Samples;
}

const ratioCell = (samples: Samples, variant: string, { metric, to }: Measure['compared'][number]): string => {
  const values = valuesOf(samples, variant, metric);
  const peers = valuesOf(samples, to, metric);
  if (variant === to || peers.length !== values.length) return '';
  return range(spread(pairedRatios(values, peers)), 'x');
};

/** A row per variant with its values and ratios. */
export const measuredTable = ({ measure, samples }: Measured): Table => {
  const titleOf = (key: string): string => measure.metrics.find((metric) => metric.key === key)?.title ?? key;
  return {
    head: [
      '',
      ...measure.metrics.map((metric) => metric.title),
      ...measure.compared.map(({ metric, to }) => `${titleOf(metric)} / ${to}`),
    ],
    rows: Object.keys(samples).map((variant) => [
      variant,
      ...measure.metrics.map(({ key }) => range(spread(valuesOf(samples, variant, key)))),
      ...measure.compared.map((compared) => ratioCell(samples, variant, compared)),
    ]),
  };
};

export const titleWithCount = ({ title, repetitions }: Described): string =>
  `${title} (${repetitions} ${repetitions === 1 ? 'repetition' : 'repetitions'})`;

export const measuredText = (measured: Measured): string => {
  const { head, rows } = measuredTable(measured);
  return `${titleWithCount(measured.measure)}\n${table(head, rows)}`;
};

export const verdictsOf = ({ measure, samples }: Measured): readonly Verdict[] =>
  measure.targets.flatMap((target) => judge(target, samples) ?? []);

const limitText = ({ atMost, atLeast, to }: Verdict['target']): string => {
  const unit = to === undefined ? '' : 'x';
  return atMost === undefined ? `>= ${figure(atLeast ?? Number.NaN)}${unit}` : `<= ${figure(atMost)}${unit}`;
};

export const verdictsTable = (verdicts: readonly Verdict[]): Table => ({
  head: ['target', '', 'measured', 'wanted', 'verdict'],
  rows: verdicts.map(({ target, measured, met }) => [
    target.id,
    target.what,
    range(measured, target.to === undefined ? '' : 'x'),
    limitText(target),
    met ? 'met' : 'MISSED',
  ]),
});

export const verdictsText = (verdicts: readonly Verdict[]): string => {
  const { head, rows } = verdictsTable(verdicts);
  return table(head, rows, 2);
};
