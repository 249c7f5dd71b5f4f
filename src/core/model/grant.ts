import type { ApprovalKind } from './approval.ts';

/**
 * A right that the host gave a server (docs/decisions/grants-and-approvals.md). Never stored in workspace files,
 * because a repository must not grant itself rights.
 */
export type Grant = FeatureSetGrant | WildcardGrant | StateOwnerGrant | ToolGrant | ApprovalGrant | DeclaredSetsRecord;

/** The user switched on a feature set with this declaration. */
export interface FeatureSetGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'featureSet';
  readonly server: string;
  /** The name of the set. */
  readonly target: string;
  /** The digest of the declaration. */
  readonly form: string;
  /** The user's choice about events that this declaration lacks. Absent without a choice. */
  readonly events?: EventsChoice | undefined;
  readonly at: number;
}

export type EventsChoice = 'allowed' | 'refused';

/** A wildcard that switched on sets of a server. Sets that are declared later wait for the user. */
export interface WildcardGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'wildcard';
  readonly server: string;
  /** `memory.*` */
  readonly target: string;
  /** A wildcard has no declaration. */
  readonly form: '';
  readonly at: number;
}

/**
 * The feature set that owned the first state of a tool without a set (MCPL §8.1). It also owns the tool's later calls.
 */
interface StateOwnerGrant {
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

/** The definition of a tool that models may call without a prompt. A changed definition ends the trust. */
export interface ToolGrant {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: 'tool';
  readonly server: string;
  /** The name of the tool. */
  readonly target: string;
  /** The digest of the definition. */
  readonly form: string;
  /** Fingerprint of the connection that sent the definition. */
  readonly fingerprint: string;
  /** The definition as text, to show changes. Absent if it is too long. */
  readonly definition: string | undefined;
  /** The digest at the last start, and the number of consecutive starts that changed it. */
  readonly last: string;
  readonly changes: number;
  /** The user trusts every definition of this tool. */
  readonly isAny: boolean;
  /** The changed digest for which the user chose prompts, so that the question is not repeated. */
  readonly declined: string | undefined;
  readonly at: number;
}

/** The user allowed a server to access a target (MCPL §7.6). */
export type ScopeGrant = ApprovalGrantOf<'scope'>;

/** An answer to a request for approval that holds for longer than once. */
export type ApprovalGrant = { readonly [Kind in ApprovalKind]: ApprovalGrantOf<Kind> }[ApprovalKind];

interface ApprovalGrantOf<Kind extends ApprovalKind> {
  readonly id: string;
  readonly direction: 'toServer';
  readonly kind: Kind;
  readonly server: string;
  /** Fingerprint of the connection that got the approval. */
  readonly fingerprint: string;
  readonly featureSet: string | undefined;
  /** The approved request; see `ApprovalRequest.key`. */
  readonly key: string;
  /** The operation, or the name of the tool: `scope/elevate`, `edit_file`. */
  readonly action: string;
  /** The server's own label, if any. */
  readonly label: string | undefined;
  /** The targets that the host computed, as in `ScopeTarget.real`. */
  readonly targets: readonly string[];
  readonly payloadHash: string;
  /** `session` is kept in memory only. */
  readonly lifetime: 'session' | 'workspace';
  readonly by: 'person';
  readonly at: number;
  /** The grant expires at this time. Absent if it has no expiry. */
  readonly until: number | undefined;
}

/**
 * The sets that a server declared last. This is no right. It is stored with the grants because the next handshake reads
 * both to tell the server which sets are on.
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
