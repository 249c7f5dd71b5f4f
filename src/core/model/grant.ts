/**
 * What the host allows a server (model C; the other direction, what servers allow the host, will stand beside it with
 * a `direction` of its own). Never in workspace files: a repository cannot allow itself anything.
 */
export type Grant = FeatureSetGrant | ScopeGrant | DeclaredSetsRecord;

/** That this form of the declaration of a feature set was switched on. */
export interface FeatureSetGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'featureSet';
  readonly server: string;
  /** The name of the set. */
  readonly target: string;
  /** The digest of the declaration. */
  readonly form: string;
  readonly at: number;
}

/** That a person allowed a server to touch something (MCPL §7.6). */
export interface ScopeGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'scope';
  readonly server: string;
  /** Of the connection that it was given to. */
  readonly fingerprint: string;
  readonly featureSet: string | undefined;
  /** The request that it answers; see `ApprovalRequest.key`. */
  readonly key: string;
  /** `scope/elevate`, or the tool. */
  readonly action: string;
  /** The server's own words, where it had any. */
  readonly label: string | undefined;
  /** What the host computed, as `ScopeTarget.real`. */
  readonly targets: readonly string[];
  readonly payloadHash: string;
  /** `session` is kept in memory only. */
  readonly lifetime: 'session' | 'workspace';
  readonly by: 'person';
  readonly at: number;
  /** From then on it allows nothing; absent: as long as what it was given for is there. */
  readonly until: number | undefined;
}

/**
 * The sets that a server declared last. It allows nothing: it stands beside the grants because the next handshake
 * reads both, and tells the server by them which sets are on.
 */
export interface DeclaredSetsRecord {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'declaredSets';
  readonly server: string;
  readonly sets: readonly DeclaredSet[];
  readonly at: number;
}

export interface DeclaredSet {
  readonly name: string;
  /** The digest of the declaration, as in `FeatureSetGrant`; empty for a set that cannot be switched on. */
  readonly form: string;
  readonly scoped: boolean;
}
