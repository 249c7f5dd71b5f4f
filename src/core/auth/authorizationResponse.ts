import type { ServerMetadata } from './serverMetadata.ts';
import { OFFLINE_ACCESS } from './scopes.ts';

interface AuthorizationRequest {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly codeChallenge: string;
  readonly resource: string;
}

/**
 * The authorization page to open, as serialized by `URL`: the browser gets exactly the address that was checked. Keeps
 * the query of the endpoint.
 */
export function authorizationUrl(request: AuthorizationRequest): string {
  const { endpoint, clientId, redirectUri, scopes, state, codeChallenge, resource } = request;
  const parameters: Readonly<Record<string, string | undefined>> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    resource,
    // OpenID Connect Core §11: servers ignore the scope without it.
    prompt: scopes.includes(OFFLINE_ACCESS) ? 'consent' : undefined,
  };
  const url = new URL(endpoint);
  const names = Object.keys(parameters);
  // A parameter must not occur twice (RFC 6749 §3.1). The value of this request wins.
  for (const name of names) if (url.searchParams.has(name)) url.searchParams.delete(name);
  const query = names.flatMap((name) => {
    const value = parameters[name];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  const kept = url.search === '' ? '?' : `${url.search}&`;
  return `${url.origin}${url.pathname}${kept}${query.join('&')}`;
}

/** The parameters of the redirect. */
export interface AuthorizationResponse {
  readonly code: string | undefined;
  readonly iss: string | undefined;
  readonly error: string | undefined;
  readonly errorDescription: string | undefined;
}

export type ResponseVerdict =
  | { readonly kind: 'code'; readonly code: string }
  /** An error from the verified authorization server. */
  | { readonly kind: 'error'; readonly error: string; readonly description: string | undefined }
  /** Another issuer sent this: use and show none of it. */
  | { readonly kind: 'wrongIssuer' }
  | { readonly kind: 'empty' };

/**
 * Judges a response whose `state` is right (RFC 9207 §2.4; MCP 2026-07-28, "Authorization Response Validation").
 * Compares the issuer exactly, even if the metadata did not announce `iss`, and before any other parameter.
 */
export function judgeResponse(
  response: AuthorizationResponse,
  { issuer, sendsIssuer }: Pick<ServerMetadata, 'issuer' | 'sendsIssuer'>,
): ResponseVerdict {
  const { iss, error, code } = response;
  if (iss === undefined ? sendsIssuer : iss !== issuer) return { kind: 'wrongIssuer' };
  if (error !== undefined) return { kind: 'error', error, description: response.errorDescription };
  return code === undefined || code === '' ? { kind: 'empty' } : { kind: 'code', code };
}
