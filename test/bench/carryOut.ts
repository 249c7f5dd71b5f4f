import { describe, say, step } from '../harness/progress.ts';
import type { Measure, Metrics } from './measure.ts';
import { type Measured, measuredText } from './report.ts';
import { seededRandom, shuffled } from './schedule.ts';

const carryOut = async (measure: Measure, random: () => number): Promise<Measured> => {
  const samples: Record<string, Metrics[]> = Object.fromEntries(measure.variants.map((variant) => [variant, []]));
  for (let repetition = 0; repetition < measure.repetitions; repetition++) {
    const metrics = await measure.repeat(shuffled(measure.variants, random));
    for (const variant of measure.variants) samples[variant]?.push(metrics[variant] ?? {});
  }
  return { measure, samples };
};

/** A failing measure must not lose the results of the others. */
export const carryOutAll = async (
  measures: readonly Measure[],
  seed: number,
): Promise<{ readonly results: readonly Measured[]; readonly failed: number }> => {
  const random = seededRandom(seed);
  const results: Measured[] = [];
  for (const measure of measures) {
    try {
      const measured = await step(measure.title, () => carryOut(measure, random));
      results.push(measured);
      say(`\n${measuredText(measured)}\n`);
    } catch (error) {
      say(`✗ ${measure.title}\n${describe(error)}\n`);
    }
  }
  return { results, failed: measures.length - results.length };
};
