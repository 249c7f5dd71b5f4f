import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { inProject, projectRoot } from '../harness/paths.ts';
import { type Instrumented, instrument, type Mutant } from './mutants.ts';
import type { Coverage, FromWorker, ToWorker } from './protocol.ts';
import { EQUIVALENT } from './equivalent.ts';

/** What is mutated, part by part. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  policy: ['src/core/policy/*.ts'],
  consent: ['src/core/features/startGate.ts', 'src/core/features/*pproval*.ts', 'src/core/features/scopeGrants.ts'],
  scopes: ['src/core/scopes/*.ts'],
  session: ['src/core/session/*.ts'],
};

/** Direct tests first: most mutants end at the first test that reaches them. */
export const TEST_FOLDERS: readonly string[] = [
  'policy',
  'scopes',
  'session',
  'model',
  'wire',
  'features',
  'mcpl',
  'host',
];

/** A mutant may be reached as many times more often than without it before it counts as endless. */
const HITS = 100;
/** The share of mutants that tests must notice in each part. */
export const LEAST_KILLED = 0.9;
const STUCK_MS = 60_000;

export interface MutationOptions {
  readonly only?: readonly string[] | undefined;
  readonly file?: string | undefined;
  /**
   * Folders of unit tests, or beginnings of files in them such as `scopes/lists`; all by default. With few of them a run
   * is fast, and says which mutants the direct tests kill.
   */
  readonly tests?: readonly string[] | undefined;
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
}

export const keyOf = ({ file, original, replacement }: Pick<Mutant, 'file' | 'original' | 'replacement'>): string =>
  `${file}: ${original} -> ${replacement}`;

/** One copy with every mutant in it, switched off. */
const copyProject = async (instrumented: Instrumented): Promise<string> => {
  const copy = inProject('out/mutation', String(process.pid));
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  for (const part of ['src', 'test', 'docs', 'package.json', 'package.nls.json', 'tsconfig.json'])
    await cp(inProject(part), join(copy, part), { recursive: true });
  await symlink(inProject('node_modules'), join(copy, 'node_modules'));
  for (const { name, content } of instrumented.files) await writeFile(join(copy, name), content);
  return copy;
};

class TestProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
  }

  static async start(copy: string, files: readonly string[], activeMutant?: string): Promise<TestProcess | undefined> {
    const env = { ...process.env, ...(activeMutant === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: activeMutant }) };
    const child = fork(join(copy, 'test/mutation/worker.ts'), [...files], { cwd: copy, env, stdio: 'ignore' });
    const process_ = new TestProcess(child);
    return (await process_.#next('loaded')) === undefined ? undefined : process_;
  }

  async ask<K extends FromWorker['kind']>(
    message: ToWorker,
    answer: K,
  ): Promise<Extract<FromWorker, { readonly kind: K }> | undefined> {
    this.#child.send(message);
    return this.#next(answer);
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** The next message; `undefined` where the process ends, or is silent for too long: loading and a first run take longer. */
  async #next<K extends FromWorker['kind']>(kind: K): Promise<Extract<FromWorker, { readonly kind: K }> | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), kind === 'tried' ? STUCK_MS : 10 * STUCK_MS);
    });
    const said = once(this.#child, 'message').then(([message]) => message as FromWorker);
    const message = await Promise.race([said, stuck, this.#ended.then(() => undefined)]);
    clearTimeout(timer);
    return message?.kind === kind ? (message as Extract<FromWorker, { readonly kind: K }>) : undefined;
  }
}

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

/** Tries a mutant of code that runs while modules load: it has to be active before they do. */
const tryAtLoad = async (copy: string, mutant: Mutant, coverage: Coverage, mutants: readonly Mutant[]) => {
  // Tests that reach anything else of the same file.
  const siblings = mutants.filter(({ file }) => file === mutant.file).flatMap(({ id }) => coverage.tests[id] ?? []);
  const files = [...new Set(siblings.map((test) => test.slice(0, test.indexOf(': '))))];
  if (files.length === 0) return undefined;
  const tests = await TestProcess.start(copy, files, mutant.id);
  if (tests === undefined) return 'the modules do not load';
  const covered = await tests.ask({ kind: 'cover' }, 'covered');
  await tests.end();
  const known = new Set(Object.keys(coverage.failing));
  return covered === undefined ? 'no end' : Object.keys(covered.coverage.failing).find((test) => !known.has(test));
};

/** Runs mutants against the tests that reach them, in a process that is started again when a mutant hangs it. */
class Trial {
  readonly #copy: string;
  readonly #testFiles: readonly string[];
  readonly #coverage: Coverage;
  #tests: TestProcess | undefined;

  constructor(copy: string, testFiles: readonly string[], coverage: Coverage) {
    this.#copy = copy;
    this.#testFiles = testFiles;
    this.#coverage = coverage;
  }

  /** The tests that reach it and pass without it. */
  reaching({ id }: Mutant): readonly string[] {
    return (this.#coverage.tests[id] ?? []).filter((test) => !Object.hasOwn(this.#coverage.failing, test));
  }

  async killedBy({
    id,
    tests,
  }: {
    readonly id: string;
    readonly tests: readonly string[];
  }): Promise<string | undefined> {
    if (tests.length === 0) return undefined;
    this.#tests ??= await TestProcess.start(this.#copy, this.#testFiles);
    const task = { id, tests, hitLimit: HITS * (this.#coverage.hits[id] ?? 1) };
    const tried = await this.#tests?.ask({ kind: 'try', task }, 'tried');
    if (tried !== undefined) return tried.killedBy;
    await this.end();
    return 'no end';
  }

  async end(): Promise<void> {
    await this.#tests?.end();
    this.#tests = undefined;
  }
}

const fateOf = (mutant: Mutant, killedBy: string | undefined, isReached: boolean): Fate => {
  if (killedBy !== undefined) return 'killed';
  if (Object.hasOwn(EQUIVALENT, keyOf(mutant))) return 'equivalent';
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
  const all = instrumented.mutants;
  const copy = await copyProject(instrumented);
  try {
    const folders = options.tests ?? TEST_FOLDERS;
    const testFiles = folders.flatMap((folder) =>
      globSync(`test/unit/${folder}${folder.includes('/') ? '*' : '/**/*'}.test.ts`, { cwd: projectRoot }).sort(),
    );
    const coverage = await coverageOf(copy, testFiles);
    for (const [test, error] of Object.entries(coverage.failing))
      say(`fails without any mutant, and is left out: ${test}: ${error}`);
    const queue = [...(options.sample === undefined ? all : shuffled(all, options.seed ?? 1).slice(0, options.sample))];
    say(`${queue.length} of ${all.length} mutants in ${files.length} files`);
    const atLoad = new Set(coverage.atLoad);
    const outcomes: Outcome[] = [];
    const work = async (): Promise<void> => {
      const trial = new Trial(copy, testFiles, coverage);
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const tests = trial.reaching(mutant);
        let killedBy = await trial.killedBy({ id: mutant.id, tests });
        if (atLoad.has(mutant.id)) killedBy ??= await tryAtLoad(copy, mutant, coverage, all);
        const fate = fateOf(mutant, killedBy, tests.length > 0 || atLoad.has(mutant.id));
        const outcome: Outcome = { mutant: { ...mutant, part: partOf.get(mutant.file) ?? '' }, fate, killedBy };
        outcomes.push(outcome);
        if (isMissed(outcome)) say(describe(outcome));
        if (outcomes.length % 100 === 0) say(`${outcomes.length} tried, ${rate(outcomes)}`);
      }
      await trial.end();
    };
    await Promise.all(Array.from({ length: workers }, work));
    return outcomes;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
};

/** Of the mutants that change something, the share that a test noticed; 1 where there is none. */
export const killRate = (outcomes: readonly Outcome[]): number => {
  const counted = outcomes.filter(({ fate }) => fate !== 'equivalent');
  return counted.length === 0 ? 1 : counted.filter(({ fate }) => fate === 'killed').length / counted.length;
};

const rate = (outcomes: readonly Outcome[]): string => {
  const equivalent = outcomes.filter(({ fate }) => fate === 'equivalent').length;
  const remark = equivalent === 0 ? '' : `, ${equivalent} equivalent`;
  return `${(100 * killRate(outcomes)).toFixed(1)} % of ${outcomes.length - equivalent} killed${remark}`;
};

const byPart = (outcomes: readonly Outcome[]): ReadonlyMap<string, readonly Outcome[]> =>
  new Map(
    [...new Set(outcomes.map(({ mutant }) => mutant.part))].map((part) => [
      part,
      outcomes.filter(({ mutant }) => mutant.part === part),
    ]),
  );

/** The parts in which tests notice too few of the mutants. */
export const weakParts = (outcomes: readonly Outcome[]): readonly string[] =>
  [...byPart(outcomes)].filter(([, some]) => killRate(some) < LEAST_KILLED).map(([part]) => part);

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

/** A line for each part, and one for each mutant that no test noticed. */
export const report = (outcomes: readonly Outcome[]): readonly string[] => [
  ...[...byPart(outcomes)].map(([part, some]) => `${part}: ${rate(some)}`),
  ...outcomes
    .filter(isMissed)
    .map((outcome) => ({
      at: `${outcome.mutant.file}:${String(outcome.mutant.line).padStart(4)}`,
      text: describe(outcome),
    }))
    .sort((left, right) => (left.at < right.at ? -1 : 1))
    .map(({ text }) => text),
];
