import type { ServerMetadata } from './serverMetadata.ts';
import { OFFLINE_ACCESS } from './scopes.ts';

export interface AuthorizationRequest {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly codeChallenge: string;
  readonly resource: string;
}

/**
 * The page to which the person is sent, in the spelling of `URL`: the browser gets what was judged. The endpoint's own
 * query is kept.
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
    // OpenID Connect Core §11: without it the scope is ignored.
    prompt: scopes.includes(OFFLINE_ACCESS) ? 'consent' : undefined,
  };
  const url = new URL(endpoint);
  const names = Object.keys(parameters);
  // A parameter must not be there twice (RFC 6749 §3.1): the one of this request counts.
  for (const name of names) if (url.searchParams.has(name)) url.searchParams.delete(name);
  const query = names.flatMap((name) => {
    const value = parameters[name];
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  const kept = url.search === '' ? '?' : `${url.search}&`;
  return `${url.origin}${url.pathname}${kept}${query.join('&')}`;
}

/** What came back to the redirect address. */
export interface AuthorizationResponse {
  readonly code: string | undefined;
  readonly iss: string | undefined;
  readonly error: string | undefined;
  readonly errorDescription: string | undefined;
}

export type ResponseVerdict =
  | { readonly kind: 'code'; readonly code: string }
  /** Said by the authorization server, which this is known to be. */
  | { readonly kind: 'error'; readonly error: string; readonly description: string | undefined }
  /** Whoever sent this is not the one that was asked: nothing of it may be used or shown. */
  | { readonly kind: 'wrongIssuer' }
  | { readonly kind: 'empty' };

/**
 * Judges a response whose `state` is right (RFC 9207 §2.4; MCP 2026-07-28, "Authorization Response Validation"): the
 * issuer is compared letter by letter, also where it was not announced, and before anything else is looked at.
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
