import type { AuditEntry, PendingApproval, ScopeGrant, ScopeSubject, ScopeTarget } from '../../../src/core/index.ts';

export function target(real: string, more: Partial<ScopeTarget> = {}): ScopeTarget {
  return { kind: 'path', from: 'label', written: real, real, inside: undefined, ...more };
}

export function approval(id: string, subject: Partial<ScopeSubject> = {}, more: Partial<PendingApproval> = {}) {
  const whole: PendingApproval = {
    id,
    server: 'files',
    fingerprint: 'f1',
    featureSet: 'files.edit',
    key: 'k1',
    payloadHash: 'h1',
    subject: {
      kind: 'scope',
      action: { kind: 'elevate', mode: 'append' },
      label: '/etc/hosts',
      payload: '{\n  "path": "/etc/hosts"\n}',
      targets: [target('/etc/hosts')],
      why: 'unlisted',
      ...subject,
    },
    askedAt: 1,
    expiresAt: 61,
    waiting: 1,
    calls: [],
    ...more,
  };
  return whole;
}

export function grant(id: string, more: Partial<ScopeGrant> = {}): ScopeGrant {
  return {
    id,
    direction: 'toServer',
    kind: 'scope',
    server: 'files',
    fingerprint: 'f1',
    featureSet: 'files.edit',
    key: 'k1',
    action: 'scope/elevate',
    label: '/etc/hosts',
    targets: ['/etc/hosts'],
    payloadHash: 'h1',
    lifetime: 'workspace',
    by: 'person',
    at: 5,
    until: 90,
    ...more,
  };
}

export function decision(detail: string, outcome: AuditEntry['outcome'] = 'refused'): AuditEntry {
  return {
    place: 1,
    at: 7,
    server: 'files',
    operation: 'scope/decision',
    featureSet: 'files.edit',
    inferenceId: undefined,
    outcome,
    durationMs: 2,
    detail,
    tokens: undefined,
  };
}
