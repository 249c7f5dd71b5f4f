/**
 * Whether two names belong to one authorization server: equal, or different only by one trailing slash. URL serializers
 * add that slash to a bare origin, and the official client accepts it too. The `iss` of an authorization response must
 * equal the published issuer exactly.
 */
export function isSameIssuer(a: string, b: string): boolean {
  return a === b || a === `${b}/` || b === `${a}/`;
}

/** The other spelling of an issuer that `isSameIssuer` accepts. */
export function otherSpelling(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
}
