import type { Json } from '../../core/index.ts';

/** Limit for nested settings from a repository, to protect the stack. Real settings are far below it. */
const MAX_DEPTH = 600;

/** Converts a configuration value to JSON. Omits other values. */
export function toJson(value: unknown, depth = 0): Json | undefined {
  if (value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1) ?? null);
  if (typeof value !== 'object') return undefined;
  const members: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const json = toJson(member, depth + 1);
    if (json !== undefined) members.push([name, json]);
  }
  return Object.fromEntries(members);
}
