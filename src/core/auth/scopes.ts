/** Asks for a token that outlives the sign-in (OpenID Connect Core §11). */
export const OFFLINE_ACCESS = 'offline_access';

export interface ScopeSources {
  /** The scopes of the challenge, which the request needs. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the server. */
  readonly ofResource: readonly string[] | undefined;
  /** `scopes_supported` of the authorization server. */
  readonly ofIssuer: readonly string[] | undefined;
  readonly fromSettings: readonly string[];
  /** The scopes requested from this issuer before. Requesting them again keeps what was granted. */
  readonly before: readonly string[];
}

/**
 * The scopes to request: those of the challenge, else all that the server supports, else none, so that the
 * authorization server decides. The scopes requested before are added.
 */
export function chooseScopes(sources: ScopeSources): readonly string[] {
  const { challenged, ofResource, ofIssuer, fromSettings, before } = sources;
  const named = challenged ?? (before.length > 0 ? [] : (ofResource ?? []));
  const scopes = union(before, named, fromSettings);
  // On its own it would replace the authorization server's default scopes.
  const wantsOffline = scopes.length > 0 && ofIssuer?.includes(OFFLINE_ACCESS) === true;
  return wantsOffline ? union(scopes, [OFFLINE_ACCESS]) : scopes;
}

function union(...sets: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(sets.flat())];
}

export function includesAll(set: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((scope) => set.includes(scope));
}
