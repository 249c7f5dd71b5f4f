import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Counts } from '../harness/counts.ts';
import { inProject } from '../harness/paths.ts';
import { decisionOf, guard, type Outcome, outcomesNote, outcomeText } from './guard.ts';
import { guardedPair, PAIRS } from './guardMeasures.ts';
import { benchFolder, builtExtension } from './buildPaths.ts';
import { seededRandom } from './schedule.ts';

/** At most a minute, including the time to end a hanging process. */
const WHOLE_MS = 55_000;
/** A longer measurement hangs. Usually one takes one or two seconds. */
const JOB_MS = 20_000;

export interface GuardResult {
  readonly counts: Counts;
  readonly log: string;
  readonly note: string;
}

/** Uses the fresh build where the variants expect it, instead of building again. */
const useBuilt = async (): Promise<void> => {
  await rm(builtExtension, { recursive: true, force: true });
  await cp(inProject('dist'), join(builtExtension, 'dist'), { recursive: true });
};

const countOf = (outcomes: readonly Outcome[], ...wanted: readonly string[]): number =>
  outcomes.filter((outcome) => wanted.includes(decisionOf(outcome))).length;

/** Checks whether the shipped code still meets its targets compared with peers. */
export const runGuard = async (only: string | undefined): Promise<GuardResult> => {
  await useBuilt();
  const started = Date.now();
  const left = (): number => started + WHOLE_MS - Date.now();
  const options = { jobMs: () => Math.min(JOB_MS, Math.max(1, left())), random: seededRandom(started) };
  const pairs = PAIRS.filter(({ id }) => only === undefined || id.includes(only));
  const outcomes = await guard(
    pairs.map((pair) => guardedPair(pair, options)),
    () => left() > 0,
  );
  const passed = countOf(outcomes, 'met');
  const failed = countOf(outcomes, 'lost', 'broken');
  const log = outcomes.map(outcomeText).join('\n');
  await mkdir(benchFolder, { recursive: true });
  await writeFile(join(benchFolder, 'guard.log'), `${log}\n`);
  return {
    // A machine too slow to finish any measurement is a failure.
    counts: { passed, failed: passed + failed === 0 ? 1 : failed },
    log,
    note: outcomesNote(outcomes),
  };
};
