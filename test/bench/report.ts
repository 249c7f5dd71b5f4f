import { type Measure, type Samples, valuesOf } from './measure.ts';
import { pairedRatios, spread } from './statistics.ts';
import { figure, range, table } from './table.ts';
import { judge, type Verdict } from './verdict.ts';

export interface Measured {
  readonly measure: Measure;
  readonly samples: Samples;
}

const ratioCell = (samples: Samples, variant: string, { metric, to }: Measure['compared'][number]): string => {
  const values = valuesOf(samples, variant, metric);
  const peers = valuesOf(samples, to, metric);
  if (variant === to || peers.length !== values.length) return '';
  return range(spread(pairedRatios(values, peers)), 'x');
};

export const measuredText = ({ measure, samples }: Measured): string => {
  const titleOf = (key: string): string => measure.metrics.find((metric) => metric.key === key)?.title ?? key;
  const head = [
    '',
    ...measure.metrics.map((metric) => metric.title),
    ...measure.compared.map(({ metric, to }) => `${titleOf(metric)} / ${to}`),
  ];
  const rows = Object.keys(samples).map((variant) => [
    variant,
    ...measure.metrics.map(({ key }) => range(spread(valuesOf(samples, variant, key)))),
    ...measure.compared.map((compared) => ratioCell(samples, variant, compared)),
  ]);
  return `${measure.title} (${measure.repetitions} repetitions)\n${table(head, rows)}`;
};

export const verdictsOf = ({ measure, samples }: Measured): readonly Verdict[] =>
  measure.targets.flatMap((target) => judge(target, samples) ?? []);

const limitText = ({ atMost, atLeast, to }: Verdict['target']): string => {
  const unit = to === undefined ? '' : 'x';
  return atMost === undefined ? `>= ${figure(atLeast ?? Number.NaN)}${unit}` : `<= ${figure(atMost)}${unit}`;
};

export const verdictsText = (verdicts: readonly Verdict[]): string =>
  table(
    ['target', '', 'measured', 'wanted', 'verdict'],
    verdicts.map(({ target, measured, met }) => [
      target.id,
      target.what,
      range(measured, target.to === undefined ? '' : 'x'),
      limitText(target),
      met ? 'met' : 'MISSED',
    ]),
    2,
  );
