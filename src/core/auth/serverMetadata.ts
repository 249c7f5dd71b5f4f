import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { judgeAddress } from './address.ts';
import { isSameIssuer } from './issuer.ts';
import { type DecodedMetadata, textList } from './resourceMetadata.ts';

/** Metadata of an authorization server (RFC 8414), with addresses that are safe to use. */
export interface ServerMetadata {
  /** Exactly as published: it is the key of stored credentials, and `iss` is compared with it. */
  readonly issuer: string;
  /** Absent for servers without sign-in, such as machine-to-machine servers. */
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  /** `undefined` if not stated, as by servers of 2025-03-26. */
  readonly codeChallengeMethods: readonly string[] | undefined;
  readonly tokenAuthMethods: readonly string[] | undefined;
  readonly tokenAuthAlgorithms: readonly string[] | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly proofAlgorithms: readonly string[] | undefined;
  readonly takesMetadataUrls: boolean;
  readonly sendsIssuer: boolean;
}

/** How an authorization server was found. This decides which rules it must meet. */
export type MetadataDiscovery =
  /** Named by the server's metadata. All rules of the current revision apply. */
  | 'named'
  /** The server's own origin, with metadata there (MCP 2025-03-26). */
  | 'origin'
  /** The server's own origin, without metadata: paths by convention (MCP 2025-03-26). */
  | 'assumed';

const MAX_LIST = 200;
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** Candidate addresses of an issuer's metadata, in the order to try. */
export function serverMetadataUrls(issuer: URL): readonly string[] {
  const { origin } = issuer;
  const path = issuer.pathname.replace(/\/+$/, '');
  if (path === '') return [`${origin}${AUTHORIZATION_SERVER}`, `${origin}${OPENID}`];
  return [`${origin}${AUTHORIZATION_SERVER}${path}`, `${origin}${OPENID}${path}`, `${origin}${path}${OPENID}`];
}

export function isServerMetadata(document: Json | undefined): boolean {
  return isJsonObject(document) && (document['issuer'] !== undefined || document['token_endpoint'] !== undefined);
}

/**
 * Rejects metadata of another issuer than requested (RFC 8414 §3.3), and addresses that the host must not use. The
 * issuers may differ by a trailing slash only.
 */
export function decodeServerMetadata(
  document: Json | undefined,
  expected: string,
  server: URL,
): DecodedMetadata<ServerMetadata> {
  if (!isJsonObject(document)) return { problem: 'is not a JSON object' };
  const { issuer } = document;
  if (typeof issuer !== 'string') return { problem: 'names no issuer' };
  if (!isSameIssuer(issuer, expected)) return { problem: `is that of another issuer, ${issuer}` };
  const endpoints = decodeEndpoints(document, server);
  if ('problem' in endpoints) return endpoints;
  const list = (key: string): readonly string[] | undefined => textList(document[key], MAX_LIST);
  return {
    value: {
      issuer,
      ...endpoints.value,
      codeChallengeMethods: list('code_challenge_methods_supported'),
      tokenAuthMethods: list('token_endpoint_auth_methods_supported'),
      tokenAuthAlgorithms: list('token_endpoint_auth_signing_alg_values_supported'),
      scopes: list('scopes_supported'),
      proofAlgorithms: list('dpop_signing_alg_values_supported'),
      takesMetadataUrls: document['client_id_metadata_document_supported'] === true,
      sendsIssuer: document['authorization_response_iss_parameter_supported'] === true,
    },
  };
}

type Endpoints = Pick<
  ServerMetadata,
  'authorizationEndpoint' | 'tokenEndpoint' | 'registrationEndpoint' | 'revocationEndpoint'
>;

function decodeEndpoints(document: JsonObject, server: URL): DecodedMetadata<Endpoints> {
  const problems: string[] = [];
  const endpoint = (key: string): string | undefined => {
    const value = document[key];
    if (value === undefined || value === null) return undefined;
    const verdict = typeof value === 'string' ? judgeAddress(value, server) : { refusal: 'is no text' };
    if ('refusal' in verdict) problems.push(`has a ${key} that ${verdict.refusal}`);
    return typeof value === 'string' ? value : undefined;
  };
  const tokenEndpoint = endpoint('token_endpoint');
  const value = {
    authorizationEndpoint: endpoint('authorization_endpoint'),
    registrationEndpoint: endpoint('registration_endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint'),
  };
  const [problem] = problems;
  if (problem !== undefined) return { problem };
  return tokenEndpoint === undefined ? { problem: 'names no token_endpoint' } : { value: { ...value, tokenEndpoint } };
}

/** An authorization server without metadata (MCP 2025-03-26, "Fallbacks for Servers without Metadata Discovery"). */
export function assumedMetadata(server: URL): ServerMetadata {
  const { origin } = server;
  return {
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
    revocationEndpoint: undefined,
    codeChallengeMethods: undefined,
    tokenAuthMethods: undefined,
    tokenAuthAlgorithms: undefined,
    scopes: undefined,
    proofAlgorithms: undefined,
    takesMetadataUrls: false,
    sendsIssuer: false,
  };
}

/**
 * Why the host must not start a sign-in there. A server must state that it supports PKCE (MCP 2025-11-25,
 * "Authorization Code Protection"). Servers of 2025-03-26 could not state it; the host uses PKCE with them too.
 */
export function signInRefusal(metadata: ServerMetadata, found: MetadataDiscovery): string | undefined {
  if (metadata.authorizationEndpoint === undefined) return 'names no authorization_endpoint';
  const methods = metadata.codeChallengeMethods;
  if (methods === undefined) return found === 'named' ? 'does not say that it protects codes with PKCE' : undefined;
  return methods.includes('S256') ? undefined : 'does not protect codes with PKCE by S256';
}
