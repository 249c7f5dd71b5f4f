import type { ToolCallRequest } from './operation.ts';
import type { ScopeTarget } from './scope.ts';

/** The possible answers to an approval prompt. */
export const APPROVAL_CHOICES = ['once', 'session', 'workspace', 'deny'] as const;
export type ApprovalChoice = (typeof APPROVAL_CHOICES)[number];

/** The subject of an approval; so far only scopes. */
export type ApprovalSubject = ScopeSubject;

/** Each kind of `ApprovalSubject`. */
export const APPROVAL_KINDS = ['scope'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export function isApprovalKind(kind: string): kind is ApprovalKind {
  return APPROVAL_KINDS.some((known) => known === kind);
}

/** The audit operations of decisions, one for each kind of approval. The history shows all of them. */
export const DECISION_OPERATIONS: Readonly<Record<ApprovalKind, string>> = { scope: 'scope/decision' };

export function isDecision(operation: string): boolean {
  return Object.values(DECISION_OPERATIONS).includes(operation);
}

/** Access to a target that no list covers (MCPL §7.6). */
export interface ScopeSubject {
  readonly kind: 'scope';
  readonly action: ScopeAction;
  /** The server's description, shown as a quotation. Absent if the host built the scope. */
  readonly label: string | undefined;
  /** The server's payload, as bounded JSON without secrets, for display. */
  readonly payload: string | undefined;
  /** Empty if the host could not determine the targets. */
  readonly targets: readonly ScopeTarget[];
  /** The reason for the question. */
  readonly why: ScopeDoubt;
}

export type ScopeAction =
  | {
      readonly kind: 'elevate';
      /** The kind of access, if the payload has a known `mode`: `append`. */
      readonly mode: string | undefined;
    }
  | { readonly kind: 'call'; readonly tool: string };

export type ScopeDoubt =
  /** No list covers it. */
  | 'unlisted'
  /** The label differs from the payload. */
  | 'disagreement'
  /** The targets are unknown. */
  | 'noTarget';

/** A request for an approval. */
export interface ApprovalRequest {
  readonly server: string;
  /** Fingerprint of the asking connection. Another program under the same id is another server. */
  readonly fingerprint: string;
  readonly featureSet: string | undefined;
  /** Equal for identical requests of one kind, and only for those. */
  readonly key: string;
  readonly subject: ApprovalSubject;
  /** Stored with an approval, in addition to the key. */
  readonly payloadHash: string;
  /** The tool call that waits for the approval. */
  readonly call: ToolCallRequest | undefined;
}

/** A request that waits for the user. */
export interface PendingApproval extends Omit<ApprovalRequest, 'call'> {
  readonly id: string;
  readonly askedAt: number;
  /** Denied at this time. */
  readonly expiresAt: number;
  /** Number of identical requests. */
  readonly waiting: number;
  /** The tool calls that wait for the approval. */
  readonly calls: readonly ToolCallRequest[];
}

/** How a request ended. */
export type ApprovalOutcome =
  | { readonly kind: 'approved'; readonly choice: Exclude<ApprovalChoice, 'deny'> }
  | { readonly kind: 'denied'; readonly why: DenialReason };

export type DenialReason =
  | 'byPerson'
  | 'timeout'
  | 'dismissed'
  /** There is no user to ask. */
  | 'nobody'
  /** Too many requests at once, or in a short time. */
  | 'flood'
  /** The requester withdrew it or disconnected. */
  | 'withdrawn';

/** A pending approval that has ended. */
export interface SettledApproval {
  readonly approval: PendingApproval;
  readonly outcome: ApprovalOutcome;
}
