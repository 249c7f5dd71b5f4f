import { nearestPattern } from '../model/featureSetPattern.ts';
import type { McplGrant } from '../model/mcplGrant.ts';
import type { ScopeSettings } from '../model/scope.ts';

/** The patterns that were not allowed, by the key of `scopes` that has them. */
export type RefusedPatterns = ReadonlyMap<string, ReadonlySet<string>>;

/** Name by name, as the nearest key counts: what the workspace adds to whitelists against what was allowed. */
export function refusedPatterns(
  lists: ScopeSettings['lists'],
  grants: readonly McplGrant[],
  allowed: readonly McplGrant[],
): RefusedPatterns {
  const wanted = whitelistsIn(grants);
  const refused = new Map<string, Set<string>>();
  if (wanted.size === 0) return refused;
  const given = whitelistsIn(allowed);
  const keys = Object.keys(lists);
  // A key that is no more was an exception from a wider one: of its names the wider one says what was not allowed.
  for (const name of new Set([...keys, ...given.keys()])) {
    const key = nearestPattern(keys, name);
    if (key === undefined) continue;
    const known = atNearest(given, name);
    for (const pattern of atNearest(wanted, name) ?? []) {
      if (known?.has(pattern) === true) continue;
      const patterns = refused.get(key) ?? new Set();
      refused.set(key, patterns.add(pattern));
    }
  }
  return refused;
}

function whitelistsIn(grants: readonly McplGrant[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    grants.flatMap((grant) => (grant.kind === 'whitelist' ? [[grant.featureSet, new Set(grant.patterns)]] : [])),
  );
}

function atNearest<T>(members: ReadonlyMap<string, T>, name: string): T | undefined {
  const nearest = nearestPattern([...members.keys()], name);
  return nearest === undefined ? undefined : members.get(nearest);
}

export function withoutPatterns(lists: ScopeSettings['lists'], refused: RefusedPatterns): ScopeSettings['lists'] {
  return Object.fromEntries(
    Object.entries(lists).map(([key, given]) => {
      const less = refused.get(key);
      return [key, less ? { ...given, whitelist: given.whitelist.filter((pattern) => !less.has(pattern)) } : given];
    }),
  );
}
