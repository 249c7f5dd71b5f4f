import { basename, dirname } from 'node:path';
import type { Mutant } from './mutants.ts';
import type { Coverage } from './protocol.ts';
import { TestProcess } from './testProcess.ts';

/** A test may reach a mutant this many times more often than without it before the mutant counts as endless. */
const HITS = 100;
const FEWEST_HITS = 1_000;
/** The tests of one mutant are chosen up to this duration, the nearest and fastest first. */
const BUDGET_MS = 20_000;
/** Tests run in batches that grow: most mutants end in the first one. */
const FIRST_BATCH = 6;
const BATCH_GROWTH = 5;
const MAX_BATCH_MS = 3_000;
/** Of tests that noticed other mutants of the same file lately. */
const RECENT = 4;
/** What a test of another folder, or of another file, has to make up for by being fast. */
const OTHER_FILE_MS = 5;
const OTHER_FOLDER_MS = 20;
/** A busy machine may take much longer than it did for the coverage. */
const PATIENCE_MS = 20_000;
const SLOWER = 20;
const LOAD_MS = 60_000;
/** Test files that are loaded first for a mutant that is active while modules load. */
const FIRST_FILES = 3;

const NO_END = 'no end';

export interface Verdict {
  readonly killedBy: string | undefined;
  readonly isReached: boolean;
}

/** Runs mutants against the tests that reach them, in a process that starts again when a mutant hangs or spoils it. */
export class Trial {
  readonly #copy: string;
  readonly #testFiles: readonly string[];
  readonly #coverage: Coverage;
  readonly #mutants: readonly Mutant[];
  readonly #atLoad: ReadonlySet<string>;
  readonly #indexOf: ReadonlyMap<string, number>;
  /** Tests that noticed a mutant, by file of the mutant, the latest first. */
  readonly #recent: Map<string, readonly number[]>;
  #tests: TestProcess | undefined;

  constructor(options: {
    readonly copy: string;
    readonly testFiles: readonly string[];
    readonly coverage: Coverage;
    readonly mutants: readonly Mutant[];
    /** Shared by the trials of one run. */
    readonly recent: Map<string, readonly number[]>;
  }) {
    this.#copy = options.copy;
    this.#testFiles = options.testFiles;
    this.#coverage = options.coverage;
    this.#mutants = options.mutants;
    this.#recent = options.recent;
    this.#atLoad = new Set(options.coverage.atLoad);
    this.#indexOf = new Map(options.coverage.all.map(({ name }, index) => [name, index]));
  }

  async verdict(mutant: Mutant): Promise<Verdict> {
    const tests = this.#ordered(mutant.file, this.#coverage.tests[mutant.id] ?? []);
    const isAtLoad = this.#atLoad.has(mutant.id);
    let killedBy = await this.#tryBatches(mutant, tests);
    if (isAtLoad) killedBy ??= await this.#tryAtLoad(mutant);
    return { killedBy, isReached: tests.length > 0 || isAtLoad };
  }

  async end(): Promise<void> {
    await this.#tests?.end();
    this.#tests = undefined;
  }

  async #tryBatches(mutant: Mutant, tests: readonly number[]): Promise<string | undefined> {
    let size = FIRST_BATCH;
    for (let from = 0; from < tests.length; size *= BATCH_GROWTH) {
      const batch = this.#batch(tests.slice(from, from + size));
      from += batch.length;
      const killedBy = await this.#try(mutant.id, batch);
      if (killedBy === undefined) continue;
      const test = this.#indexOf.get(killedBy);
      if (test !== undefined) this.#remember(mutant.file, test);
      if (killedBy === NO_END || (await this.#isOwnFault(mutant, batch, test))) return killedBy;
    }
    return undefined;
  }

  /**
   * An earlier mutant may have left something behind that lets a test fail without any mutant. Then only a clean process
   * counts.
   */
  async #isOwnFault(mutant: Mutant, batch: readonly number[], test: number | undefined): Promise<boolean> {
    if ((await this.#try(undefined, test === undefined ? batch : [test])) !== undefined) await this.end();
    // A failure of no test, such as a rejection that arrives late, must happen twice.
    else if (test !== undefined) return true;
    return (await this.#try(mutant.id, batch)) !== undefined;
  }

  /** What failed, or `no end`. */
  async #try(id: string | undefined, batch: readonly number[]): Promise<string | undefined> {
    this.#tests ??= await TestProcess.start(this.#copy, this.#testFiles);
    const question = this.#question(id, batch);
    const startedAt = Date.now();
    const answer = await this.#tests?.ask(...question);
    // A test that timed out may go on in the background, and slow down all others.
    if (answer === undefined || Date.now() - startedAt >= question[0].task.timeoutMs) await this.end();
    return answer === undefined ? NO_END : answer.killedBy;
  }

  #question(id: string | undefined, batch: readonly number[]) {
    const timeoutMs = PATIENCE_MS + SLOWER * this.#duration(batch);
    const hitLimit = Math.max(FEWEST_HITS, HITS * (this.#coverage.hits[id ?? ''] ?? 1));
    const tests = batch.map((test) => this.#coverage.all[test]?.name ?? '');
    const message = { kind: 'try', task: { id, tests, hitLimit, timeoutMs } } as const;
    return [message, 'tried', 2 * timeoutMs] as const;
  }

  /** A mutant of code that runs while modules load has to be active before they do, in a process of its own. */
  async #tryAtLoad(mutant: Mutant): Promise<string | undefined> {
    // Tests that reach anything of the same file.
    const siblings = this.#mutants.filter(({ file }) => file === mutant.file);
    const near = new Set(siblings.flatMap(({ id }) => this.#coverage.tests[id] ?? []));
    const tests = this.#ordered(mutant.file, [...near]);
    const files = [...new Set(tests.map((test) => this.#coverage.all[test]?.file ?? ''))];
    for (const some of [files.slice(0, FIRST_FILES), files.slice(FIRST_FILES)]) {
      const batch = tests.filter((test) => some.includes(this.#coverage.all[test]?.file ?? ''));
      if (batch.length === 0) continue;
      const started = await TestProcess.start(this.#copy, some, { activeMutant: mutant.id, timeoutMs: LOAD_MS });
      if (started === undefined) return 'the modules do not load';
      const tried = await started.ask(...this.#question(mutant.id, batch));
      await started.end();
      if (tried === undefined) return NO_END;
      if (tried.killedBy !== undefined) return tried.killedBy;
    }
    return undefined;
  }

  /** Those that pass without a mutant and are not too slow, in the order in which they are worth trying. */
  #ordered(file: string, tests: readonly number[]): readonly number[] {
    const recent = (this.#recent.get(file) ?? []).filter((test) => tests.includes(test)).slice(0, RECENT);
    const rest = tests
      .filter((test) => !recent.includes(test) && !Object.hasOwn(this.#coverage.failing, this.#nameOf(test)))
      .map((test) => ({ test, cost: this.#cost(file, test) }))
      .sort((a, b) => a.cost - b.cost)
      .map(({ test }) => test);
    let spent = 0;
    return [...recent, ...rest].filter((test) => (spent += this.#duration([test])) <= BUDGET_MS);
  }

  #nameOf(test: number): string {
    return this.#coverage.all[test]?.name ?? '';
  }

  #cost(file: string, test: number): number {
    const { file: of = '', durationMs = 0 } = this.#coverage.all[test] ?? {};
    const isSameFolder = dirname(of) === dirname(file).replace(/^src/, 'test/unit');
    const isSameFile = basename(of, '.test.ts') === basename(file, '.ts');
    return durationMs + (isSameFile ? 0 : OTHER_FILE_MS) + (isSameFolder ? 0 : OTHER_FOLDER_MS);
  }

  #duration(tests: readonly number[]): number {
    return tests.reduce((sum, test) => sum + (this.#coverage.all[test]?.durationMs ?? 0), 0);
  }

  /** As many of these as are fast enough together, and at least one. */
  #batch(tests: readonly number[]): readonly number[] {
    let spent = 0;
    return tests.filter((test, index) => {
      spent += this.#duration([test]);
      return index === 0 || spent <= MAX_BATCH_MS;
    });
  }

  #remember(file: string, test: number): void {
    const before = this.#recent.get(file) ?? [];
    this.#recent.set(file, [test, ...before.filter((other) => other !== test)].slice(0, 4 * RECENT));
  }
}
