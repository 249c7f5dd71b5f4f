/**
 * A right that the host gave a server (docs/decisions/grants-and-approvals.md). Never stored in workspace files: a
 * repository must not allow itself anything.
 */
export type Grant = FeatureSetGrant | WildcardGrant | StateOwnerGrant | ToolGrant | ScopeGrant | DeclaredSetsRecord;

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
  /** A person's choice about events that this form does not declare; absent without a choice. */
  readonly events?: EventsChoice | undefined;
  readonly at: number;
}

export type EventsChoice = 'allowed' | 'refused';

/** A wildcard that switched on feature sets of a server: sets that are declared later wait for a person. */
export interface WildcardGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'wildcard';
  readonly server: string;
  /** `memory.*` */
  readonly target: string;
  /** Nothing more is known of it. */
  readonly form: '';
  readonly at: number;
}

/** Which feature set owned the first state of a tool that names no set (MCPL §8.1): it owns its next call too. */
export interface StateOwnerGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'stateOwner';
  readonly server: string;
  /** The tool. */
  readonly target: string;
  /** The name of the set. */
  readonly form: string;
  readonly at: number;
}

/** The definition of a tool that models may call without asking: another definition ends the trust. */
export interface ToolGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'tool';
  readonly server: string;
  /** The name of the tool. */
  readonly target: string;
  /** The digest of the definition. */
  readonly form: string;
  /** Of the connection that it was seen on. */
  readonly fingerprint: string;
  /** The definition as text, to show what changed; absent if it was too long to keep. */
  readonly definition: string | undefined;
  /** The digest at the last start, and at how many starts in a row it was another than before. */
  readonly last: string;
  readonly changes: number;
  /** A person trusts the tool whatever its definition says. */
  readonly isAny: boolean;
  /** The digest that a person chose to be asked about, so that the question does not come again. */
  readonly declined: string | undefined;
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
  /** The server's own label, if any. */
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
 * The sets that a server declared last. It allows nothing. It is kept with the grants because the next handshake
 * reads both to tell the server which sets are on.
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
