import type { AuditRecord } from '../../src/core/model/audit.ts';
import type { DeclaredSetsRecord, FeatureSetGrant, ScopeGrant } from '../../src/core/model/grant.ts';
import type { InboundEvent } from '../../src/core/model/inboundEvent.ts';

/** An event with this `eventId`, as it looks on arrival. */
export function inboundEvent(eventId: string, differing: Partial<InboundEvent> = {}): InboundEvent {
  return {
    id: `id-${eventId}`,
    server: 'feed',
    source: { kind: 'push', featureSet: 'feed.items' },
    eventId,
    occurredAt: '2026-01-01T00:00:00Z',
    receivedAt: 1_000_000,
    origin: { channel: 'general' },
    content: [{ type: 'text', text: `Content of ${eventId}` }],
    inferenceId: undefined,
    isRead: false,
    outcome: { kind: 'none' },
    ...differing,
  };
}

export function auditRecord(differing: Partial<AuditRecord> = {}): AuditRecord {
  return {
    at: 1_000_000,
    server: 'feed',
    operation: 'push/event',
    featureSet: 'feed.items',
    inferenceId: undefined,
    outcome: 'success',
    durationMs: 1,
    detail: undefined,
    tokens: undefined,
    model: undefined,
    ...differing,
  };
}

export function grant(id: string, differing: Partial<FeatureSetGrant> = {}): FeatureSetGrant {
  return {
    id,
    direction: 'toServer',
    kind: 'featureSet',
    server: 'feed',
    target: 'feed.items',
    form: 'f'.repeat(64),
    at: 1_000_000,
    ...differing,
  };
}

export function scopeGrant(id: string, differing: Partial<ScopeGrant> = {}): ScopeGrant {
  return {
    id,
    direction: 'toServer',
    kind: 'scope',
    server: 'files',
    fingerprint: 'files-print',
    featureSet: 'files.edit',
    key: `key of ${id}`,
    action: 'scope/elevate',
    label: '/etc/hosts',
    targets: ['/etc/hosts'],
    payloadHash: 'p'.repeat(64),
    lifetime: 'workspace',
    by: 'person',
    at: 1_000_000,
    until: 2_000_000,
    ...differing,
  };
}

export function declaredSets(id: string, differing: Partial<DeclaredSetsRecord> = {}): DeclaredSetsRecord {
  return {
    id,
    direction: 'toServer',
    kind: 'declaredSets',
    server: 'feed',
    sets: [
      { name: 'feed.items', form: 'f'.repeat(32), scoped: true },
      { name: 'feed. "odd" 😀', form: '', scoped: false },
    ],
    at: 1_000_000,
    ...differing,
  };
}
