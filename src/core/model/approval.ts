import type { ToolCallRequest } from './operation.ts';
import type { ScopeTarget } from './scope.ts';

/** What a person may answer. */
export const APPROVAL_CHOICES = ['once', 'session', 'workspace', 'deny'] as const;
export type ApprovalChoice = (typeof APPROVAL_CHOICES)[number];

/** The subject of an approval; so far only scopes. */
export type ApprovalSubject = ScopeSubject;

/** A server would touch something that no list speaks of (MCPL §7.6). */
export interface ScopeSubject {
  readonly kind: 'scope';
  readonly action: ScopeAction;
  /** The server's own words for it, as a quotation; absent where the host built the scope. */
  readonly label: string | undefined;
  /** What the server sent with it, as JSON for people; bounded, without secrets. */
  readonly payload: string | undefined;
  /** Empty where the host could not find out what the request touches. */
  readonly targets: readonly ScopeTarget[];
  /** The reason for the question. */
  readonly why: ScopeDoubt;
}

export type ScopeAction =
  | {
      readonly kind: 'elevate';
      /** A word for what it will do, where the payload has a common one: `append`. */ readonly mode:
        string | undefined;
    }
  | { readonly kind: 'call'; readonly tool: string };

export type ScopeDoubt =
  /** No list speaks of it. */
  | 'unlisted'
  /** The label differs from the payload. */
  | 'disagreement'
  /** What it touches is not known. */
  | 'noTarget';

/** A request for an approval. */
export interface ApprovalRequest {
  readonly server: string;
  /** Of the connection that asks: another program of the same id is another server. */
  readonly fingerprint: string;
  readonly featureSet: string | undefined;
  /** The same for identical requests, and for no others. */
  readonly key: string;
  readonly subject: ApprovalSubject;
  /** What an approval is remembered by beside the key. */
  readonly payloadHash: string;
  /** The tool call that waits for it. */
  readonly call: ToolCallRequest | undefined;
}

/** A request that waits for a person. */
export interface PendingApproval extends Omit<ApprovalRequest, 'call'> {
  readonly id: string;
  readonly askedAt: number;
  /** Denied by then. */
  readonly expiresAt: number;
  /** How many identical requests it stands for. */
  readonly waiting: number;
  /** The tool calls that wait for it. */
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
  /** Too many at once, or in a short time. */
  | 'flood'
  /** Whoever asked took it back, or has gone. */
  | 'withdrawn';

/** A pending approval that has ended. */
export interface SettledApproval {
  readonly approval: PendingApproval;
  readonly outcome: ApprovalOutcome;
}
