import { type Samples, type Target, valuesOf } from './measure.ts';
import { pairedRatios, type Spread, spread } from './statistics.ts';

export interface Verdict {
  readonly target: Target;
  readonly measured: Spread;
  readonly met: boolean;
}

/** Judges by the median, so that one disturbed repetition does not matter. */
export const judge = (target: Target, samples: Samples): Verdict | undefined => {
  const values = valuesOf(samples, target.of, target.metric);
  const peers = target.to === undefined ? undefined : valuesOf(samples, target.to, target.metric);
  if (values.length === 0 || peers?.length === 0) return undefined;
  const measured = spread(peers === undefined ? values : pairedRatios(values, peers));
  const { atMost = Infinity, atLeast = -Infinity } = target;
  return { target, measured, met: measured.median <= atMost && measured.median >= atLeast };
};
