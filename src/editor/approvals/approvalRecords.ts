import type { AuditEntry, ScopeGrant } from '../../core/index.ts';

/** What is remembered and how requests were decided, as JSON for people and programs; times as ISO 8601. */
export function approvalsJson(remembered: readonly ScopeGrant[], history: readonly AuditEntry[], now: number): string {
  const value = {
    exportedAt: timeOf(now),
    remembered: remembered.map(({ at, until, ...grant }) => ({
      ...grant,
      at: timeOf(at),
      until: until === undefined ? null : timeOf(until),
    })),
    history: history.map(({ at, place, ...entry }) => ({ place, time: timeOf(at), ...entry })),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
