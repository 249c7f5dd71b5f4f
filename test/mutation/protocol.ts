/** The global object that instrumented sources read and write. */
export interface MutationState {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  /** How often the current test reached the active mutant. Coverage is not counted while this is set. */
  hitCount?: number | undefined;
  /** The count at which the active mutant throws, which ends endless loops. */
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
}

declare global {
  var __stryker__: MutationState | undefined;
}

export interface KnownTest {
  readonly name: string;
  /** Relative to the copy. */
  readonly file: string;
  readonly durationMs: number;
}

/** The tests, and for each mutant the tests that reach it. A test is known by its index in `all`. */
export interface Coverage {
  readonly all: readonly KnownTest[];
  readonly tests: Readonly<Record<string, readonly number[]>>;
  /** How often one test reaches a mutant at the most. */
  readonly hits: Readonly<Record<string, number>>;
  /** The mutants that are reached while modules load. */
  readonly atLoad: readonly string[];
  /** The tests that fail without any mutant, by name, with their errors. */
  readonly failing: Readonly<Record<string, string>>;
}

export interface MutantTask {
  /** `undefined` to run the tests without a mutant. */
  readonly id: string | undefined;
  /** Names of the tests to run, or `undefined` for all of the files that are loaded. */
  readonly tests: readonly string[] | undefined;
  readonly hitLimit: number;
  /** For each test. */
  readonly timeoutMs: number;
}

export type ToWorker = { readonly kind: 'cover' } | { readonly kind: 'try'; readonly task: MutantTask };

export type FromWorker =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'covered'; readonly coverage: Coverage }
  | { readonly kind: 'tried'; readonly killedBy: string | undefined };
