/** Asks for a token that outlives the sign-in (OpenID Connect Core §11). */
export const OFFLINE_ACCESS = 'offline_access';

export interface ScopeSources {
  /** Of the challenge: what the request needs. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the server. */
  readonly ofResource: readonly string[] | undefined;
  /** `scopes_supported` of its authorization server. */
  readonly ofIssuer: readonly string[] | undefined;
  readonly fromSettings: readonly string[];
  /** Asked for before, with that issuer: nothing that was granted is to be lost. */
  readonly before: readonly string[];
}

/**
 * What to ask for: what the challenge names, else all that the server supports, else nothing at all, which leaves the
 * choice to the authorization server; together with what was asked for before.
 */
export function chooseScopes(sources: ScopeSources): readonly string[] {
  const { challenged, ofResource, ofIssuer, fromSettings, before } = sources;
  const named = challenged ?? (before.length > 0 ? [] : (ofResource ?? []));
  const scopes = union(before, named, fromSettings);
  // On its own it would take the place of the authorization server's own choice.
  const wantsOffline = scopes.length > 0 && ofIssuer?.includes(OFFLINE_ACCESS) === true;
  return wantsOffline ? union(scopes, [OFFLINE_ACCESS]) : scopes;
}

export function union(...sets: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(sets.flat())];
}

export function includesAll(set: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((scope) => set.includes(scope));
}
