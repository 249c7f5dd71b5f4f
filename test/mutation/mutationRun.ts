import { globSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { inProject, projectRoot } from '../harness/paths.ts';
import { type Instrumented, instrument, type Mutant } from './mutants.ts';
import { EQUIVALENT } from './equivalent.ts';
import type { Coverage } from './protocol.ts';
import { TestProcess } from './testProcess.ts';
import { Trial } from './trial.ts';

/** The mutated files of each part. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  policy: [
    'src/core/consent/{mcplGrants,startConsent,startQuestion}.ts',
    'src/core/consent/{startRemarks,startVariables,editorPolicy,toolTrust,windowLimits}.ts',
    'src/core/mcpl/{featureSets,pushPolicy,stateSets,toolFeatureSets,declaredUses,offerSets}.ts',
    'src/core/scopes/paths/toolScopes.ts',
  ],
  consent: ['src/core/consent/startGate.ts', 'src/core/approvals/*pproval*.ts'],
  scopes: ['src/core/scopes/paths/!(toolScopes).ts', 'src/core/consent/workspaceFiles.ts'],
  session: ['src/core/session/*.ts'],
};

/** All folders of unit tests that use the core. */
export const TEST_FOLDERS: readonly string[] = ['core', 'cli'];

/** The share of mutants that tests must notice in each part. */
export const MIN_KILLED = 0.9;

export interface MutationOptions {
  readonly only?: readonly string[] | undefined;
  readonly file?: string | undefined;
  /**
   * Folders of unit tests, or beginnings of files in them such as `scopes/lists`; all by default. With few of them a run
   * is fast, and says which mutants the direct tests kill.
   */
  readonly tests?: readonly string[] | undefined;
  /** How many mutants to try: of each part the same number, or all that it has. */
  readonly sample?: number | undefined;
  readonly seed?: number | undefined;
  readonly workers?: number | undefined;
  readonly say: (line: string) => void;
}

export type Fate = 'killed' | 'survived' | 'noTest' | 'equivalent';

export interface Outcome {
  readonly mutant: Mutant & { readonly part: string };
  readonly fate: Fate;
  readonly killedBy?: string | undefined;
  readonly ms: number;
}

export const keyOf = ({ file, original, replacement }: Pick<Mutant, 'file' | 'original' | 'replacement'>): string =>
  `${file}: ${original} -> ${replacement}`;

const isEquivalent = (mutant: Mutant): boolean =>
  [keyOf(mutant), `${keyOf(mutant)} in ${mutant.source}`].some((key) => Object.hasOwn(EQUIVALENT, key));

/** One copy with every mutant in it, switched off. */
const copyProject = async (instrumented: Instrumented): Promise<string> => {
  const copy = inProject('out/mutation', String(process.pid));
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  for (const part of ['src', 'test', 'docs', 'package.json', 'package.nls.json', 'tsconfig.json'])
    await cp(inProject(part), join(copy, part), { recursive: true });
  await symlink(inProject('node_modules'), join(copy, 'node_modules'));
  for (const { name, content } of instrumented.files) await writeFile(join(copy, name), withFasterCoverage(content));
  return copy;
};

/** Counts coverage only while it is asked for, and not while mutants are tried. */
const withFasterCoverage = (text: string): string => {
  const start = 'function cover() {';
  // A file of types only has no mutant.
  if (text.includes('stryCov_') && !text.includes(start))
    throw new Error('The instrumenter counts coverage in another way than expected.');
  return text.replace(start, `${start} if (ns.hitCount !== undefined) return;`);
};

/** A shuffled copy, the same for the same seed. */
const shuffled = <T>(items: readonly T[], seed: number): readonly T[] => {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return items
    .map((item) => ({ item, at: next() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
};

/** Of each part the same number of mutants, or all that it has, in the order of the sources. */
const drawn = <T extends { readonly part: string }>(mutants: readonly T[], total: number, seed: number): Set<T> => {
  const parts = byPart(shuffled(mutants, seed), ({ part }) => part);
  return new Set([...parts.values()].flatMap((some) => some.slice(0, Math.ceil(total / parts.size))));
};

const fateOf = (mutant: Mutant, killedBy: string | undefined, isReached: boolean): Fate => {
  if (killedBy !== undefined) return 'killed';
  if (isEquivalent(mutant)) return 'equivalent';
  return isReached ? 'survived' : 'noTest';
};

const coverageOf = async (copy: string, testFiles: readonly string[]): Promise<Coverage> => {
  const tests = await TestProcess.start(copy, testFiles);
  const covered = await tests?.ask({ kind: 'cover' }, 'covered');
  await tests?.end();
  if (covered === undefined) throw new Error('The tests of the instrumented copy do not run to their end.');
  return covered.coverage;
};

export const runMutation = async (options: MutationOptions): Promise<readonly Outcome[]> => {
  const { only = Object.keys(PARTS), say, workers = 2 } = options;
  const partOf = new Map<string, string>(
    only.flatMap((part) =>
      globSync([...(PARTS[part] ?? [])], { cwd: projectRoot }).map((file): [string, string] => [file, part]),
    ),
  );
  const files = [...partOf.keys()]
    .filter((file) => options.file === undefined || basename(file).startsWith(options.file))
    .sort();
  const instrumented = await instrument(files, projectRoot);
  const all = instrumented.mutants.map((mutant) => ({ ...mutant, part: partOf.get(mutant.file) ?? '' }));
  const copy = await copyProject(instrumented);
  try {
    const folders = options.tests ?? TEST_FOLDERS;
    const testFiles = folders.flatMap((folder) =>
      globSync(`test/unit/${folder}${folder.includes('/') ? '*' : '/**/*'}.test.ts`, { cwd: projectRoot }).sort(),
    );
    const startedAt = Date.now();
    const coverage = await coverageOf(copy, testFiles);
    say(`${coverage.all.length} tests of ${testFiles.length} files ran in ${seconds(startedAt)} s`);
    for (const [test, error] of Object.entries(coverage.failing))
      say(`fails without any mutant, and is left out: ${test}: ${error}`);
    const { sample, seed = 1 } = options;
    const chosen = sample === undefined ? undefined : drawn(all, sample, seed);
    const queue = all.filter((mutant) => chosen?.has(mutant) !== false);
    say(`${queue.length} of ${all.length} mutants in ${files.length} files`);
    const outcomes: Outcome[] = [];
    const recent = new Map<string, readonly number[]>();
    const triedFrom = Date.now();
    const work = async (): Promise<void> => {
      const trial = new Trial({ copy, testFiles, coverage, mutants: all, recent });
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const from = Date.now();
        const { killedBy, isReached } = await trial.verdict(mutant);
        const outcome: Outcome = { mutant, fate: fateOf(mutant, killedBy, isReached), killedBy, ms: Date.now() - from };
        outcomes.push(outcome);
        if (isMissed(outcome)) say(describe(outcome));
        if (outcomes.length % 100 === 0) say(`${outcomes.length} tried in ${seconds(triedFrom)} s, ${rate(outcomes)}`);
      }
      await trial.end();
    };
    await Promise.all(Array.from({ length: workers }, work));
    say(`${outcomes.length} tried in ${seconds(triedFrom)} s`);
    return outcomes;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
};

const seconds = (since: number): number => Math.round((Date.now() - since) / 1_000);

/** The share of mutants with an observable change that a test noticed; 1 without any. */
export const killRate = (outcomes: readonly Outcome[]): number => {
  const counted = outcomes.filter(({ fate }) => fate !== 'equivalent');
  return counted.length === 0 ? 1 : counted.filter(({ fate }) => fate === 'killed').length / counted.length;
};

const rate = (outcomes: readonly Outcome[]): string => {
  const equivalent = outcomes.filter(({ fate }) => fate === 'equivalent').length;
  const remark = equivalent === 0 ? '' : `, ${equivalent} equivalent`;
  return `${(100 * killRate(outcomes)).toFixed(1)} % of ${outcomes.length - equivalent} killed${remark}`;
};

const byPart = <T>(items: readonly T[], partOf: (item: T) => string): ReadonlyMap<string, readonly T[]> =>
  new Map([...new Set(items.map(partOf))].map((part) => [part, items.filter((item) => partOf(item) === part)]));

const partOfOutcome = ({ mutant: { part } }: Outcome): string => part;

/** The parts in which tests notice too few of the mutants. */
export const weakParts = (outcomes: readonly Outcome[]): readonly string[] =>
  [...byPart(outcomes, partOfOutcome)].filter(([, some]) => killRate(some) < MIN_KILLED).map(([part]) => part);

const isMissed = ({ fate }: Outcome): boolean => fate === 'survived' || fate === 'noTest';

const SHOWN = 160;

const describe = ({ mutant: { file, line, mutator, original, replacement }, fate }: Outcome): string => {
  // A change deep in a long expression: show where the two begin to differ.
  let same = 0;
  while (same < original.length && original[same] === replacement[same]) same++;
  const from = Math.max(original.length, replacement.length) > SHOWN ? Math.max(0, same - 40) : 0;
  const part = (text: string): string => `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN)}`;
  return `${fate} ${file}:${line} ${mutator}: ${part(original)} -> ${part(replacement)}`;
};

/** A line for each mutant that a test noticed. */
export const kills = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes
    .filter(({ fate }) => fate === 'killed')
    .map((outcome) => `${describe(outcome)} [${outcome.ms} ms: ${outcome.killedBy}]`);

/** A line for each part, and one for each mutant that no test noticed. */
export const report = (outcomes: readonly Outcome[]): readonly string[] => [
  ...[...byPart(outcomes, partOfOutcome)].map(([part, some]) => `${part}: ${rate(some)}`),
  ...outcomes
    .filter(isMissed)
    .map((outcome) => ({
      at: `${outcome.mutant.file}:${String(outcome.mutant.line).padStart(4)}`,
      text: describe(outcome),
    }))
    .sort((left, right) => (left.at < right.at ? -1 : 1))
    .map(({ text }) => text),
];
