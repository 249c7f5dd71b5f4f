/**
 * How settings name feature sets: `memory.recall` is that one, `memory.*` all that lie deeper, `*` all. Of any two
 * patterns one lies within the other, or they have no name in common: all decisions about feature sets build on it.
 */
const LONGEST = 256;
const ODD = /[*\p{Cc}\p{Cf}]/u;

/** Whether settings can name this set at all. One called `*` would switch on every other. */
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

/** Whether every name that the second stands for, a name or a pattern itself, is one that the first stands for. */
export function covers(pattern: string, other: string): boolean {
  if (pattern === other || pattern === '*') return true;
  return pattern.endsWith('.*') && other.length >= pattern.length && other.startsWith(pattern.slice(0, -1));
}

export function coveredBy(patterns: readonly string[], other: string): boolean {
  return patterns.some((pattern) => covers(pattern, other));
}

/** The one that says the most about a name: the name itself, or else the longest wildcard. */
export function nearestPattern(patterns: readonly string[], other: string): string | undefined {
  if (patterns.includes(other)) return other;
  const fitting = patterns.filter((pattern) => covers(pattern, other));
  return fitting.reduce<string | undefined>(
    (best, pattern) => (best === undefined || pattern.length > best.length ? pattern : best),
    undefined,
  );
}
