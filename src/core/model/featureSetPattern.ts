import type { PushPolicy } from './mcpl.ts';

/**
 * How settings name feature sets: `memory.recall` is one set, `memory.*` all sets below it, and `*` all sets. Any two
 * patterns are nested or disjoint; all decisions about feature sets rely on that.
 */
const LONGEST = 256;
const ODD = /[*\p{Cc}\p{Cf}]/u;

/** Whether settings can name this set. A set called `*` would enable every other. */
export function isFeatureSetName(text: string): boolean {
  return text !== '' && text.length <= LONGEST && !ODD.test(text);
}

export function isWildcard(pattern: string): boolean {
  return pattern === '*' || pattern.endsWith('.*');
}

export function isFeatureSetPattern(text: string): boolean {
  if (text === '*') return true;
  return isFeatureSetName(isWildcard(text) ? text.slice(0, -2) : text);
}

/** Whether the first pattern matches every name that the second matches. The second may be a single name. */
export function covers(pattern: string, other: string): boolean {
  if (pattern === other || pattern === '*') return true;
  return pattern.endsWith('.*') && other.length >= pattern.length && other.startsWith(pattern.slice(0, -1));
}

export function coveredBy(patterns: readonly string[], other: string): boolean {
  return patterns.some((pattern) => covers(pattern, other));
}

/** The most specific pattern for a name: the name itself, or else the longest wildcard. */
export function nearestPattern(patterns: readonly string[], other: string): string | undefined {
  if (patterns.includes(other)) return other;
  const fitting = patterns.filter((pattern) => covers(pattern, other));
  return fitting.reduce<string | undefined>(
    (best, pattern) => (best === undefined || pattern.length > best.length ? pattern : best),
    undefined,
  );
}

/** The policy for the events of a set: by its name, or else by the longest wildcard. */
export function pushPolicyOf(push: Readonly<Record<string, PushPolicy>>, name: string): PushPolicy {
  const nearest = isFeatureSetName(name) ? nearestPattern(Object.keys(push), name) : undefined;
  return (nearest === undefined ? undefined : push[nearest]) ?? 'notify';
}
