import type { Json } from '../core/index.ts';

/** A value of the configuration API as JSON; what JSON cannot hold is left out. */
export function toJson(value: unknown): Json | undefined {
  if (value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map((item) => toJson(item) ?? null);
  if (typeof value !== 'object') return undefined;
  const members: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const json = toJson(member);
    if (json !== undefined) members.push([name, json]);
  }
  return Object.fromEntries(members);
}
