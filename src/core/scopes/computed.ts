import type { ScopeTarget } from '../model/scope.ts';

/** Where paths are meant from. */
export interface ScopePlace {
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly userHome: string;
  /** What a relative path may be relative to: the server's working directory and the open folders. */
  readonly bases: readonly string[];
}

/** A target with all that lists are asked about. */
export interface ComputedTarget extends ScopeTarget {
  /**
   * All readings of it: as written, decoded, resolved, and where each really leads. One that is denied denies it; it is
   * allowed where all are.
   */
  readonly forms: readonly string[];
  /** Where its readings really lead, of which `real` is the one to be shown: what was approved once is approved for all. */
  readonly reals: readonly string[];
  /** Readings that nobody means, and that may only deny: of a name, the file that is called so. */
  readonly shadows: readonly string[];
}

/** What a request would touch. */
export interface ComputedScope {
  readonly targets: readonly ComputedTarget[];
  /** False where it says in words of its own what it will do, which may touch anything. */
  readonly isWhole: boolean;
  /** Why it must not be allowed by anybody: something of it cannot be a name, or leads nobody knows where. A sentence. */
  readonly refusal: string | undefined;
  /** False where the label names something else than the payload. */
  readonly agrees: boolean;
}
