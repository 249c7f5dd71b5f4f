/** The global object that instrumented sources read and write. */
export interface MutationState {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  /** How often the active mutant was reached, and the count at which it throws: it ends endless loops. */
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
}

declare global {
  var __stryker__: MutationState | undefined;
}

/** For each mutant, the tests that reach it; and the mutants that are reached while modules load. */
export interface Coverage {
  readonly tests: Readonly<Record<string, readonly string[]>>;
  readonly hits: Readonly<Record<string, number>>;
  readonly atLoad: readonly string[];
  /** The tests that fail without any mutant, with their errors. */
  readonly failing: Readonly<Record<string, string>>;
}

export interface MutantTask {
  readonly id: string;
  /** Tests to run, by id. */
  readonly tests: readonly string[];
  readonly hitLimit: number;
}

export type ToWorker = { readonly kind: 'cover' } | { readonly kind: 'try'; readonly task: MutantTask };

export type FromWorker =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'covered'; readonly coverage: Coverage }
  | { readonly kind: 'tried'; readonly id: string; readonly killedBy: string | undefined };
