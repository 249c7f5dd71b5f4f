import type { AuditEntry, PendingApproval, ScopeGrant, ScopeSubject, ScopeTarget } from '../../../../src/core/index.ts';
import type { OpenFolder } from '../../../../src/editor/shared/workspaceFolders.ts';

export const ASKED = new Date(2026, 10, 18, 16, 4, 21).getTime();

export const ONE_FOLDER: readonly OpenFolder[] = [{ name: 'app', path: '/ws/app' }];
export const TWO_FOLDERS: readonly OpenFolder[] = [...ONE_FOLDER, { name: 'lib', path: '/ws/lib' }];

/** A target with this path, within `/ws/<folder>` if it starts so. */
export function path(real: string, rest: Partial<ScopeTarget> = {}): ScopeTarget {
  const [, folder, within] = /^\/ws\/(\w+)(?:\/(.*))?$/.exec(real) ?? [];
  const inside = folder === undefined ? undefined : { folder, path: within ?? '' };
  return { kind: 'path', from: '/payload/path', written: real, real, inside, ...rest };
}

export function name(real: string): ScopeTarget {
  return { kind: 'name', from: 'label', written: real, real, inside: undefined };
}

export function subject(targets: readonly ScopeTarget[], rest: Partial<ScopeSubject> = {}): ScopeSubject {
  return {
    kind: 'scope',
    action: { kind: 'elevate', mode: 'append' },
    label: undefined,
    payload: undefined,
    targets,
    why: 'unlisted',
    ...rest,
  };
}

/** A pending request with the given members, and defaults for the rest. */
export function waits(
  id: string,
  targets: readonly ScopeTarget[],
  rest: Partial<PendingApproval & ScopeSubject> = {},
): PendingApproval {
  const { kind: _, action, label, payload, why, ...approval } = rest;
  return {
    id,
    server: 'files',
    fingerprint: 'f1',
    featureSet: 'files.edit',
    key: `key of ${id}`,
    payloadHash: 'h1',
    subject: subject(targets, {
      label,
      payload,
      ...(action === undefined ? {} : { action }),
      ...(why === undefined ? {} : { why }),
    }),
    askedAt: ASKED,
    expiresAt: ASKED + 60_000,
    waiting: 1,
    calls: [],
    ...approval,
  };
}

export function grant(id: string, targets: readonly string[], rest: Partial<ScopeGrant> = {}): ScopeGrant {
  return {
    id,
    direction: 'toServer',
    kind: 'scope',
    server: 'files',
    fingerprint: 'f1',
    featureSet: 'files.edit',
    key: `key of ${id}`,
    action: 'scope/elevate',
    label: undefined,
    targets,
    payloadHash: 'h1',
    lifetime: 'workspace',
    by: 'person',
    at: ASKED,
    until: new Date(2027, 1, 16, 16, 4, 21).getTime(),
    ...rest,
  };
}

export function decision(place: number, detail: string, rest: Partial<AuditEntry> = {}): AuditEntry {
  return {
    place,
    at: ASKED,
    server: 'files',
    operation: 'scope/decision',
    featureSet: 'files.edit',
    inferenceId: undefined,
    outcome: 'success',
    durationMs: 3,
    detail,
    tokens: undefined,
    ...rest,
  };
}
