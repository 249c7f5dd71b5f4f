import { clip } from '../base/json.ts';
import type { PendingApproval } from '../model/approval.ts';
import { type AuditRecord, auditRecord } from '../model/audit.ts';
import type { ApprovalGrant } from '../model/grant.ts';
import { allowedBy } from './subjectText.ts';

const WORKSPACE_MS = 90 * 86_400_000;
const LONGEST_TEXT = 4_096;
/** The key covers them all; these are for people. */
const MOST_TARGETS = 256;
const MOST_NAMED = 5;
const LONGEST_NAMED = 200;

/** What a person gave by answering a request with more than `once`. */
export function approvalGrant(
  { server, fingerprint, featureSet, key, payloadHash, subject }: PendingApproval,
  { id, lifetime, at }: Pick<ApprovalGrant, 'id' | 'lifetime' | 'at'>,
): ApprovalGrant {
  const { kind, action, label, targets } = allowedBy(subject);
  return {
    id,
    direction: 'toServer',
    kind,
    server,
    fingerprint,
    featureSet,
    key,
    action: clip(action, LONGEST_TEXT),
    label: label === undefined ? undefined : clip(label, LONGEST_TEXT),
    // A label and a payload mostly say the same.
    targets: [...new Set(targets.map((target) => clip(target, LONGEST_TEXT)))].slice(0, MOST_TARGETS),
    payloadHash,
    lifetime,
    by: 'person',
    at,
    until: lifetime === 'workspace' ? at + WORKSPACE_MS : undefined,
  };
}

/** The audit record of a grant that was made, changed or ended. */
export function grantRecord(
  { server, featureSet, action, targets }: ApprovalGrant,
  { what, ...rest }: Pick<AuditRecord, 'at' | 'operation' | 'durationMs'> & { readonly what: string },
): AuditRecord {
  const named = targets.slice(0, MOST_NAMED).map((target) => clip(target, LONGEST_NAMED));
  const more = targets.length > MOST_NAMED ? [`${targets.length - MOST_NAMED} more`] : [];
  return auditRecord({
    ...rest,
    server,
    featureSet,
    outcome: 'success',
    detail: [`${what}: ${clip(action, LONGEST_NAMED)}`, [...named, ...more].join(', ')].filter(Boolean).join(' '),
  });
}
