import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Counts } from '../harness/counts.ts';
import { inProject } from '../harness/paths.ts';
import { decisionOf, guard, type Outcome, outcomesNote, outcomeText } from './guard.ts';
import { guardedPair, PAIRS } from './guardMeasures.ts';
import { benchFolder, builtExtension } from './buildPaths.ts';
import { seededRandom } from './schedule.ts';

/** A minute at most, with what it takes to end a process that does not want to. */
const WHOLE_MS = 55_000;
/** A measurement that takes longer hangs: usually it is one or two seconds. */
const JOB_MS = 20_000;

export interface GuardResult {
  readonly counts: Counts;
  readonly log: string;
  readonly note: string;
}

/** Where the variants look for it; what was built just now is not built twice. */
const useBuilt = async (): Promise<void> => {
  await rm(builtExtension, { recursive: true, force: true });
  await cp(inProject('dist'), join(builtExtension, 'dist'), { recursive: true });
};

const countOf = (outcomes: readonly Outcome[], ...wanted: readonly string[]): number =>
  outcomes.filter((outcome) => wanted.includes(decisionOf(outcome))).length;

/** Whether what ships still costs as little as the project wants, beside its peers, now. */
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
    // A machine so slow that nothing is met in time holds nothing.
    counts: { passed, failed: passed + failed === 0 ? 1 : failed },
    log,
    note: outcomesNote(outcomes),
  };
};
