import type {
  ApprovalOutcome,
  JsonObject,
  PendingApproval,
  ScopeGrant,
  ScopeSettings,
  SettledApproval,
} from '../../core/index.ts';

/** A request that waits. What it was told apart from others by is the host's own. */
export function pendingView(approval: PendingApproval): JsonObject {
  const { id, server, featureSet, subject, askedAt, expiresAt, waiting, calls } = approval;
  const { action, label, payload, targets, why } = subject;
  return {
    id,
    server,
    featureSet,
    action: { ...action },
    label,
    payload,
    targets: targets.map((target) => ({ ...target, inside: target.inside && { ...target.inside } })),
    why,
    askedAt,
    expiresAt,
    waiting,
    calls: calls.map(({ tool, route, conversationId }) => ({ tool, route, conversationId })),
  };
}

export function grantView(grant: ScopeGrant): JsonObject {
  const { id, server, fingerprint, featureSet, action, label, targets, lifetime, by, at, until } = grant;
  return { id, server, fingerprint, featureSet, action, label, targets, lifetime, by, at, until };
}

export function settledView({ approval, outcome }: SettledApproval): JsonObject {
  return { approval: approval.id, server: approval.server, featureSet: approval.featureSet, ...outcomeView(outcome) };
}

function outcomeView(outcome: ApprovalOutcome): JsonObject {
  return outcome.kind === 'approved'
    ? { outcome: 'approved', choice: outcome.choice }
    : { outcome: 'denied', why: outcome.why };
}

export function scopesView({ lists, adapters }: ScopeSettings): JsonObject {
  const copies = Object.entries(lists).map(([name, list]): [string, JsonObject] => [name, { ...list }]);
  return { lists: Object.fromEntries(copies), adapters: { ...adapters } };
}
