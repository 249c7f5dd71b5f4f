import { isWildcard } from '../model/featureSetPattern.ts';
import type { FeatureSet } from '../model/mcpl.ts';
import type { ScopeSettings } from '../model/scope.ts';
import { listsFor } from '../scopes/paths/toolScopes.ts';
import type { ToldScopes } from '../wire/mcpl/advert.ts';

/** Everything, in words that any glob understands. */
const ALL = '**';

/**
 * The lists of its scoped sets as a server gets them (MCPL §7.2): with names instead of patterns of names, and paths
 * instead of variables. They only inform the server; the host never relies on them.
 */
export function toldScopes(
  settings: ScopeSettings,
  sets: readonly FeatureSet[],
  expand: (pattern: string) => string,
): ToldScopes {
  const written = Object.keys(settings.lists).filter((key) => !isWildcard(key));
  const declared = sets.filter(({ scoped }) => scoped).map(({ name }) => name);
  // Before its first handshake its sets are unknown, except those in settings.
  const names = declared.length > 0 ? declared : written;
  const told = names.map((name) => {
    const { whitelist, blacklist, isBroken } = listsFor(settings, name);
    const denied = isBroken ? [...blacklist, ALL] : blacklist;
    return [name, { whitelist: whitelist.map(expand), blacklist: denied.map(expand) }] as const;
  });
  return Object.fromEntries(told.filter(([, lists]) => lists.whitelist.length + lists.blacklist.length > 0));
}
