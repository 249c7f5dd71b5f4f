import { clip } from '../base/json.ts';
import type { PendingApproval } from '../model/approval.ts';
import { type AuditRecord, auditRecord } from '../model/audit.ts';
import type { ApprovalGrant } from '../model/grant.ts';
import { allowedBy } from './subjectText.ts';

const WORKSPACE_MS = 90 * 86_400_000;
const MAX_TEXT = 4_096;
/** For display only, because the key covers all targets. */
const MAX_TARGETS = 256;
const MAX_NAMED_COUNT = 5;
const MAX_NAMED = 200;

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
    action: clip(action, MAX_TEXT),
    label: label === undefined ? undefined : clip(label, MAX_TEXT),
    // Label and payload usually name the same targets.
    targets: [...new Set(targets.map((target) => clip(target, MAX_TEXT)))].slice(0, MAX_TARGETS),
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
  const named = targets.slice(0, MAX_NAMED_COUNT).map((target) => clip(target, MAX_NAMED));
  const more = targets.length > MAX_NAMED_COUNT ? [`${targets.length - MAX_NAMED_COUNT} more`] : [];
  return auditRecord({
    ...rest,
    server,
    featureSet,
    outcome: 'success',
    detail: [`${what}: ${clip(action, MAX_NAMED)}`, [...named, ...more].join(', ')].filter(Boolean).join(' '),
  });
}
