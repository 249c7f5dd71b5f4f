import { clip } from '../base/json.ts';
import type { PendingApproval } from '../model/approval.ts';
import { type AuditRecord, auditRecord } from '../model/audit.ts';
import type { ApprovalGrant } from '../model/grant.ts';
import { allowedBy } from './subjectText.ts';

const WORKSPACE_MS = 90 * 86_400_000;
const LONGEST_TEXT = 4_096;
/** For display only, because the key covers all targets. */
const MOST_TARGETS = 256;
const MOST_NAMED = 5;
const LONGEST_NAMED = 200;

/** Creates the grant for an answer other than `once`. */
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
    // Label and payload usually name the same targets.
    targets: [...new Set(targets.map((target) => clip(target, LONGEST_TEXT)))].slice(0, MOST_TARGETS),
    payloadHash,
    lifetime,
    by: 'person',
    at,
    until: lifetime === 'workspace' ? at + WORKSPACE_MS : undefined,
  };
}

/** The audit record for a created, changed or ended grant. */
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
