/**
 * Whether two names are those of one authorization server: equal letter by letter, or different only by one slash at
 * the end. Serializers of URLs add that slash to a bare origin, and the official client accepts it too. The `iss` of an
 * authorization response is not compared in this way: it must equal the published issuer.
 */
export function isSameIssuer(a: string, b: string): boolean {
  return a === b || a === `${b}/` || b === `${a}/`;
}

/** The other spelling of an issuer that `isSameIssuer` accepts. */
export function otherSpelling(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
}
