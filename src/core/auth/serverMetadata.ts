import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { judgeAddress } from './address.ts';
import { isSameIssuer } from './issuer.ts';
import { type Decoded, texts } from './resourceMetadata.ts';

/** What is known of an authorization server (RFC 8414), with addresses that are safe to use. */
export interface ServerMetadata {
  /** Exactly as published: credentials are kept under it, and `iss` is compared with it. */
  readonly issuer: string;
  /** Absent where nobody can sign in, as at servers for machines only. */
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  /** `undefined`: nothing is said, as by servers of 2025-03-26. */
  readonly codeChallengeMethods: readonly string[] | undefined;
  readonly tokenAuthMethods: readonly string[] | undefined;
  readonly tokenAuthAlgorithms: readonly string[] | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly proofAlgorithms: readonly string[] | undefined;
  readonly takesMetadataUrls: boolean;
  readonly sendsIssuer: boolean;
}

/** How an authorization server was found, which decides how much it owes. */
export type Discovery =
  /** Named by the server's metadata: all of the current revision's rules hold. */
  | 'named'
  /** The server's own origin, with metadata there (MCP 2025-03-26). */
  | 'origin'
  /** The server's own origin, without metadata: paths by convention (MCP 2025-03-26). */
  | 'assumed';

const MAX_LIST = 200;
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** Where the metadata of an issuer may be, in the order in which to look. */
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
 * Rejects metadata of another issuer than the one that was asked for (RFC 8414 §3.3), and addresses that the host must
 * not use. The issuers may differ by a final slash, and by nothing else.
 */
export function decodeServerMetadata(
  document: Json | undefined,
  expected: string,
  server: URL,
): Decoded<ServerMetadata> {
  if (!isJsonObject(document)) return { problem: 'is not a JSON object' };
  const { issuer } = document;
  if (typeof issuer !== 'string') return { problem: 'names no issuer' };
  if (!isSameIssuer(issuer, expected)) return { problem: `is that of another issuer, ${issuer}` };
  const endpoints = decodeEndpoints(document, server);
  if ('problem' in endpoints) return endpoints;
  const list = (key: string): readonly string[] | undefined => texts(document[key], MAX_LIST);
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

function decodeEndpoints(document: JsonObject, server: URL): Decoded<Endpoints> {
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
 * Why nobody may be sent there to sign in. A server that does not say that it checks PKCE is refused (MCP 2025-11-25,
 * "Authorization Code Protection"); those of 2025-03-26 had no word for it, and get PKCE all the same.
 */
export function signInRefusal(metadata: ServerMetadata, found: Discovery): string | undefined {
  if (metadata.authorizationEndpoint === undefined) return 'names no authorization_endpoint';
  const methods = metadata.codeChallengeMethods;
  if (methods === undefined) return found === 'named' ? 'does not say that it protects codes with PKCE' : undefined;
  return methods.includes('S256') ? undefined : 'does not protect codes with PKCE by S256';
}
