import type { JsonObject } from '../base/json.ts';

/** The lists of one feature set (MCPL §7.2): patterns of paths or of names. */
export interface ScopeLists {
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  /** Something of the blacklist cannot be read: everything is denied until it can. */
  readonly isBroken: boolean;
}

/** What a server's settings say of scopes. */
export interface ScopeSettings {
  /**
   * By feature set, or a pattern of such; `*` also stands for tools that belong to none. Of several that fit, the
   * whitelist of the nearest one counts, and the blacklists of all.
   */
  readonly lists: Readonly<Record<string, ScopeLists>>;
  /** Tool → where in its arguments its targets are, such as `$.path` or `$.files[*].path`; `[]`: it has none. */
  readonly adapters: Readonly<Record<string, readonly string[]>>;
}

/** Of a tool whose adapter cannot be read: what its calls touch is not known, and no list allows them. */
export const UNREADABLE_ADAPTER: readonly string[] = [''];

/** What a message says of its own scope (MCPL §7.3): a claim. */
export interface ScopeClaim {
  readonly label: string;
  readonly payload: JsonObject | undefined;
}

/** One thing that a request would touch, as the host computed it. */
export interface ScopeTarget {
  readonly kind: 'path' | 'name';
  /** The place of the text: `label`, or a JSON Pointer such as `/payload/path` or `/arguments/path`. */
  readonly from: string;
  /** As it was written; for people, bounded. */
  readonly written: string;
  /** The real path, absolute and with `/`; for a name, the name. An approval is for this. */
  readonly real: string;
  /** Within the open folder that it lies in; absent outside of all of them, and for a name. */
  readonly inside: { readonly folder: string; readonly path: string } | undefined;
}
