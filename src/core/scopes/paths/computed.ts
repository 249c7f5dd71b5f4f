import type { ScopeTarget } from '../../model/scope.ts';

/** The base folders of a server's paths. */
export interface ScopeContext {
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly userHome: string;
  /** The bases for relative paths: the server's working directory and the open folders. */
  readonly bases: readonly string[];
}

/** The kinds of patterns in a server's lists. Texts that no list can decide are skipped. */
export interface ScopeConcern {
  /** They contain patterns for names, so names must be allowed. */
  readonly ofNames: boolean;
  /** They contain patterns for files. */
  readonly ofFiles: boolean;
  /** They contain deny rules. */
  readonly denies: boolean;
}

export const EVERY_CONCERN: ScopeConcern = { ofNames: true, ofFiles: true, denies: true };

/** A target with all texts that are matched against the lists. */
export interface ComputedTarget extends ScopeTarget {
  /**
   * All readings: as written, decoded, resolved, and the real path of each. One denied reading denies the target; it is
   * allowed if all readings are.
   */
  readonly forms: readonly string[];
  /** The real paths of all readings. `real` is the one shown; an approval covers all of them. */
  readonly reals: readonly string[];
  /** Unlikely readings, which can only deny: for a name, the file with that name. */
  readonly shadows: readonly string[];
  /** Readings as names, which can only deny. */
  readonly names: readonly string[];
  /** Whether its member name marks it as the subject of the request. */
  readonly isAnchor: boolean;
}

/** A text that may name something. */
export interface ComputedText {
  readonly target: ComputedTarget;
  /** Whether it leads out of its base folder and must be allowed, or has an unknown target. */
  readonly outward: 'known' | 'unknown' | undefined;
  /** A single word, which may name the subject of the request. */
  readonly isWord: boolean;
}

/** Everything that a request would touch. */
export interface ComputedScope {
  readonly targets: readonly ComputedTarget[];
  /** All other texts. Empty if settings define where the targets are. */
  readonly checked: readonly ComputedText[];
  /** False if the request contains a command or code, whose targets are unknown. */
  readonly isWhole: boolean;
  /** Why the request must be denied: a part is not a valid name, or has an unknown target. A sentence. */
  readonly refusal: string | undefined;
  /** False if the label differs from the payload. */
  readonly agrees: boolean;
}
