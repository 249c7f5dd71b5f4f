import type { JsonObject } from '../base/json.ts';

/** The lists of one feature set (MCPL §7.2): patterns for paths or names. */
export interface ScopeLists {
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  /** The blacklist has an unreadable entry. Everything is denied until it is fixed. */
  readonly isBroken: boolean;
}

/** The scope settings of a server. */
export interface ScopeSettings {
  /**
   * By feature set or pattern. `*` also applies to tools without a set. The whitelist of the most specific match
   * applies, and the blacklists of all matches.
   */
  readonly lists: Readonly<Record<string, ScopeLists>>;
  /** Tool → the paths of its targets in the arguments, such as `$.path` or `$.files[*].path`. `[]` means no targets. */
  readonly adapters: Readonly<Record<string, readonly string[]>>;
}

/** Stands for an unreadable adapter: targets are unknown, so no list allows the call. */
export const UNREADABLE_ADAPTER: readonly string[] = [''];

/** The scope that a message claims (MCPL §7.3). */
export interface ScopeClaim {
  readonly label: string;
  readonly payload: JsonObject | undefined;
}

/** One target of a request, as the host computed it. */
export interface ScopeTarget {
  readonly kind: 'path' | 'name';
  /** Source of the text: `label`, or a JSON Pointer such as `/payload/path` or `/arguments/path`. */
  readonly from: string;
  /** The text as written; bounded, for display. */
  readonly written: string;
  /** The real path, absolute and with `/`; for a name, the name. An approval covers exactly this. */
  readonly real: string;
  /** The open folder that contains it and the path inside. Absent outside all folders, and for names. */
  readonly inside: { readonly folder: string; readonly path: string } | undefined;
}
