import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { inProject } from '../harness/paths.ts';
import { Problem } from '../harness/progress.ts';
import { benchFolder } from './buildPaths.ts';
import { canPin } from './job.ts';
import type { Described, Samples } from './measure.ts';
import { type Measured, verdictsOf } from './report.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly gigabytes: number;
  readonly system: string;
  readonly node: string;
  /** The machine's load in the minute before. */
  readonly loadBefore: number;
  readonly pinned: boolean;
}

/** The results of one run, or of several merged runs: everything on the page, and every sample. */
export interface Run {
  readonly date: string;
  readonly seed: number;
  readonly quick: boolean;
  readonly machine: Machine;
  readonly results: readonly Measured[];
}

export const thisMachine = (loadBefore: number): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'an unknown processor',
  cores: cpus().length,
  gigabytes: Math.round(totalmem() / 1e8) / 10,
  system: `${type()} ${release()} ${arch()}`,
  node: process.version,
  loadBefore,
  pinned: canPin,
});

interface Saved extends Omit<Run, 'results'> {
  readonly measures: readonly (Described & { readonly samples: Samples })[];
}

const toSaved = ({ results, ...run }: Run): object => ({
  ...run,
  measures: results.map(({ measure: { id, title, variants, metrics, compared, targets, repetitions }, samples }) => ({
    id,
    title,
    variants,
    metrics,
    compared,
    targets,
    repetitions,
    samples,
  })),
  verdicts: results.flatMap(verdictsOf).map(({ target, measured, met }) => ({ ...target, measured, met })),
});

export const runText = (run: Run): string => `${JSON.stringify(toSaved(run), undefined, 2)}\n`;

/** Reads a run written by this program. Invalid values become absent. */
export const readRun = (text: string, from: string): Run => {
  const { measures, date, seed, quick, machine } = JSON.parse(text) as Partial<Saved>;
  if (measures?.[0]?.targets === undefined || date === undefined || machine?.system === undefined)
    throw new Problem(`${from} is not what this version of the bench writes. Measure again.`);
  const results = measures.map(({ samples, ...measure }) => ({ measure, samples }));
  return { date, seed: seed ?? 0, quick: quick ?? true, machine, results };
};

const nameOf = ({ measure: { id, title } }: Measured): string => `${id} ${title}`;

/** Merges runs of one machine. For a measure in several runs, the latest counts, at the position of the first. */
export const together = (runs: readonly Run[]): Run => {
  const [first, ...others] = runs.toSorted((a, b) => a.date.localeCompare(b.date));
  if (first === undefined) throw new Problem('There is no run. Name the files that the bench has written.');
  const identify = ({ cpu, cores, node }: Machine): string => `${cpu}, ${cores} cores, Node ${node}`;
  const own = identify(first.machine);
  const stranger = others.find(({ machine }) => identify(machine) !== own);
  if (stranger !== undefined)
    throw new Problem(
      `The runs are of two machines: ${own} and ${identify(stranger.machine)}. Measure on one of them.`,
    );
  const byName = new Map(first.results.map((result) => [nameOf(result), result]));
  for (const { results } of others) for (const result of results) byName.set(nameOf(result), result);
  const all = [first, ...others];
  return {
    ...(all.at(-1) ?? first),
    quick: all.some(({ quick }) => quick),
    machine: { ...first.machine, loadBefore: Math.max(...all.map(({ machine }) => machine.loadBefore)) },
    results: [...byName.values()],
  };
};

export const loadRuns = async (files: readonly string[]): Promise<Run> =>
  together(await Promise.all(files.map(async (file) => readRun(await readFile(inProject(file), 'utf8'), file))));

/** Returns the path of the file. */
export const saveRun = async (run: Run): Promise<string> => {
  await mkdir(benchFolder, { recursive: true });
  const file = `out/bench/${run.date.replaceAll(':', '-').slice(0, 19)}.json`;
  await writeFile(inProject(file), runText(run));
  await writeFile(join(benchFolder, 'latest.json'), runText(run));
  return file;
};
