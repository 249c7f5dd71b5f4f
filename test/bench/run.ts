import { loadavg } from 'node:os';
import { join } from 'node:path';
import { options } from '../harness/commandLine.ts';
import { endEverything, onInterrupt } from '../harness/processes.ts';
import { main, Problem, say, step } from '../harness/progress.ts';
import { activationMeasure } from './activationMeasure.ts';
import { buildProduct, buildSdk } from './builds.ts';
import { benchFolder } from './buildPaths.ts';
import { bundleMeasure } from './bundleMeasure.ts';
import { carryOutAll } from './carryOut.ts';
import { clientMeasures } from './clientMeasures.ts';
import { editorMeasure } from './editorMeasure.ts';
import { prepareEditorRuns } from './editorRuns.ts';
import { idleMeasure } from './idleMeasure.ts';
import { canPin } from './job.ts';
import { lineageMeasure } from './lineageMeasure.ts';
import type { Measure } from './measure.ts';
import { writePage } from './page.ts';
import { type Measured, verdictsOf, verdictsText } from './report.ts';
import { loadRuns, type Run, saveRun, thisMachine } from './savedRun.ts';

onInterrupt(endEverything);

const QUICK = 0.2;
/** Above this load, other programs use the cores that two processes need. */
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
  if (wanted.has('activation') || wanted.has('editor')) await prepareEditorRuns();
};

const tell = (results: readonly Measured[]): number => {
  const verdicts = results.flatMap(verdictsOf);
  if (verdicts.length > 0) say(`${verdictsText(verdicts)}\n`);
  const missed = verdicts.filter(({ met }) => !met).length;
  say(`${verdicts.length - missed} targets met, ${missed} missed`);
  return missed;
};

const profilingFlags = (wanted: boolean): readonly string[] =>
  wanted ? ['--cpu-prof', `--cpu-prof-dir=${join(benchFolder, 'profiles')}`] : [];

const warn = (load: number): void => {
  if (load > BUSY) say(`The machine is busy (load ${load.toFixed(1)}): the ratios hold, the figures are too large.`);
  if (!canPin) say('Processes cannot be pinned to cores here: round trips scatter more than they should.');
};

const toPage = async (run: Run): Promise<void> => {
  await writePage(run);
  say(`docs/performance.md tells what was measured on ${run.date}.`);
};

await main(async () => {
  const asked = options({
    only: 'text',
    quick: 'flag',
    seed: 'text',
    repetitions: 'text',
    profile: 'flag',
    check: 'flag',
    write: 'flag',
    from: 'text',
  });
  if (asked.from !== undefined) {
    await toPage(await loadRuns(list(asked.from) ?? []));
    return 0;
  }
  const quick = asked.quick === true;
  const dose = quick ? QUICK : 1;
  const seed = Number(asked.seed ?? Date.now() % 1_000_000);
  const all = [
    ...clientMeasures(dose, profilingFlags(asked.profile === true)),
    lineageMeasure(),
    bundleMeasure(dose),
    idleMeasure(quick, profilingFlags(asked.profile === true)),
    activationMeasure(dose),
    editorMeasure(quick),
  ];
  const measures = selected(all, list(asked.only)).map((measure) => {
    const repetitions = quick ? Math.min(3, measure.repetitions) : measure.repetitions;
    return { ...measure, repetitions: Number(asked.repetitions ?? repetitions) };
  });

  const [load = 0] = loadavg();
  warn(load);
  await step('bundles', () => prepare(measures));
  const { results, failed } = await carryOutAll(measures, seed);
  const run = { date: new Date().toISOString(), seed, quick, machine: thisMachine(load), results };
  const missed = tell(results);
  say(`Node ${process.version}, seed ${seed}. Written to ${await saveRun(run)}.`);
  const isFull = measures.length === all.length && !quick && asked.repetitions === undefined && failed === 0;
  if (isFull || asked.write === true) await toPage(run);
  if (failed > 0) say(`${failed} of ${measures.length} could not be measured: see above.`);
  return failed > 0 || (asked.check === true && missed > 0) ? 1 : 0;
});
