import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { options } from '../harness/commandLine.ts';
import { inProject } from '../harness/paths.ts';
import { endEverything, onInterrupt } from '../harness/processes.ts';
import { main, Problem, say, step } from '../harness/progress.ts';
import { activationMeasure, prepareActivation } from './activationMeasure.ts';
import { buildProduct, buildSdk, writeEmptyExtension } from './builds.ts';
import { benchFolder } from './buildPaths.ts';
import { bundleMeasure } from './bundleMeasure.ts';
import { clientMeasures } from './clientMeasures.ts';
import { canPin } from './job.ts';
import { lineageMeasure } from './lineageMeasure.ts';
import type { Measure, Metrics } from './measure.ts';
import { type Measured, measuredText, verdictsOf, verdictsText } from './report.ts';
import { seededRandom, shuffled } from './schedule.ts';
import type { Verdict } from './verdict.ts';

onInterrupt(endEverything);

const QUICK = 0.2;
/** Beyond this, other work takes the cores that two processes at once are measured on. */
const BUSY = 0.5;

const list = (text: string | undefined): readonly string[] | undefined => text?.split(',').map((part) => part.trim());

const selected = (measures: readonly Measure[], only: readonly string[] | undefined): readonly Measure[] => {
  const known = [...new Set(measures.map(({ id }) => id))];
  const unknown = only?.filter((id) => !known.includes(id)) ?? [];
  if (unknown.length > 0)
    throw new Problem(`There is no measure "${unknown.join(', ')}". There are: ${known.join(', ')}.`);
  return only === undefined ? measures : measures.filter(({ id }) => only.includes(id));
};

const prepare = async (measures: readonly Measure[]): Promise<void> => {
  const wanted = new Set(measures.map(({ id }) => id));
  await buildProduct();
  if (wanted.has('bundle')) await buildSdk();
  if (!wanted.has('activation')) return;
  await writeEmptyExtension();
  await prepareActivation();
};

const carryOut = async (measure: Measure, random: () => number): Promise<Measured> => {
  const samples: Record<string, Metrics[]> = Object.fromEntries(measure.variants.map((variant) => [variant, []]));
  for (let repetition = 0; repetition < measure.repetitions; repetition++) {
    const metrics = await measure.repeat(shuffled(measure.variants, random));
    for (const variant of measure.variants) samples[variant]?.push(metrics[variant] ?? {});
  }
  return { measure, samples };
};

const plain = ({ target, measured, met }: Verdict): object => ({ ...target, measured, met });

const save = async (seed: number, quick: boolean, load: number, results: readonly Measured[]): Promise<string> => {
  const [cpu] = cpus();
  const report = {
    date: new Date().toISOString(),
    seed,
    quick,
    machine: { cpu: cpu?.model, cores: cpus().length, loadBefore: load, pinned: canPin },
    node: process.version,
    measures: results.map(({ measure: { id, title, repetitions, metrics }, samples }) => ({
      id,
      title,
      repetitions,
      metrics,
      samples,
    })),
    verdicts: results.flatMap(verdictsOf).map(plain),
  };
  await mkdir(benchFolder, { recursive: true });
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  const file = `out/bench/${report.date.replaceAll(':', '-').slice(0, 19)}.json`;
  await writeFile(inProject(file), text);
  await writeFile(join(benchFolder, 'latest.json'), text);
  return file;
};

const profilingFlags = (wanted: boolean): readonly string[] =>
  wanted ? ['--cpu-prof', `--cpu-prof-dir=${join(benchFolder, 'profiles')}`] : [];

await main(async () => {
  const asked = options({
    only: 'text',
    quick: 'flag',
    seed: 'text',
    repetitions: 'text',
    profile: 'flag',
    check: 'flag',
  });
  const quick = asked.quick === true;
  const dose = quick ? QUICK : 1;
  const seed = Number(asked.seed ?? Date.now() % 1_000_000);
  const all = [
    ...clientMeasures(dose, profilingFlags(asked.profile === true)),
    lineageMeasure(),
    bundleMeasure(dose),
    activationMeasure(dose),
  ];
  const measures = selected(all, list(asked.only)).map((measure) => {
    const repetitions = quick ? Math.min(3, measure.repetitions) : measure.repetitions;
    return { ...measure, repetitions: Number(asked.repetitions ?? repetitions) };
  });

  const [load = 0] = loadavg();
  if (load > BUSY) say(`The machine is busy (load ${load.toFixed(1)}): the ratios hold, the figures are too large.`);
  if (!canPin) say('Processes cannot be pinned to cores here: round trips scatter more than they should.');
  await step('bundles', () => prepare(measures));
  const random = seededRandom(seed);
  const results: Measured[] = [];
  for (const measure of measures) {
    const measured = await step(measure.title, () => carryOut(measure, random));
    results.push(measured);
    say(`\n${measuredText(measured)}\n`);
  }
  const verdicts = results.flatMap(verdictsOf);
  if (verdicts.length > 0) say(`${verdictsText(verdicts)}\n`);
  const missed = verdicts.filter(({ met }) => !met).length;
  say(`Node ${process.version}, seed ${seed}. Written to ${await save(seed, quick, load, results)}.`);
  say(`${verdicts.length - missed} targets met, ${missed} missed`);
  return asked.check === true && missed > 0 ? 1 : 0;
});
