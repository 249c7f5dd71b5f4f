import type { ScopeTarget } from '../../model/scope.ts';

/** Where paths are meant from. */
export interface ScopePlace {
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly userHome: string;
  /** What a relative path may be relative to: the server's working directory and the open folders. */
  readonly bases: readonly string[];
}

/** What the lists of a request are about: what they cannot decide need not be looked for. */
export interface ScopeConcern {
  /** They have patterns of names, so that a name has to be allowed. */
  readonly ofNames: boolean;
  /** They have patterns of files. */
  readonly ofFiles: boolean;
  /** They deny something. */
  readonly denies: boolean;
}

export const EVERY_CONCERN: ScopeConcern = { ofNames: true, ofFiles: true, denies: true };

/** A target with all that lists are asked about. */
export interface ComputedTarget extends ScopeTarget {
  /**
   * All readings of it: as written, decoded, resolved, and where each really leads. One that is denied denies it; it is
   * allowed where all are.
   */
  readonly forms: readonly string[];
  /** Where its readings really lead, of which `real` is the one to be shown: what was approved once is approved for all. */
  readonly reals: readonly string[];
  /** Unlikely readings, which may only deny: for a name, the file of that name. */
  readonly shadows: readonly string[];
  /** The same as names. */
  readonly names: readonly string[];
  /** Whether its member says that it is what the request is about. */
  readonly isAnchor: boolean;
}

/** A text that may name something. */
export interface ComputedText {
  readonly target: ComputedTarget;
  /** It leads out of its base folder, so it has to be allowed; or its target is unknown. */
  readonly outward: 'known' | 'unknown' | undefined;
  /** One word, which may be the name of what the request is about. */
  readonly isWord: boolean;
}

/** What a request would touch. */
export interface ComputedScope {
  readonly targets: readonly ComputedTarget[];
  /** All other texts; none where settings say where the targets are. */
  readonly checked: readonly ComputedText[];
  /** False if it has a command or code, which may touch anything. */
  readonly isWhole: boolean;
  /** Why it must never be allowed: a part is not a valid name, or leads to an unknown place. A sentence. */
  readonly refusal: string | undefined;
  /** False if the label differs from the payload. */
  readonly agrees: boolean;
}
