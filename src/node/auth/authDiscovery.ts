import {
  assumedMetadata,
  type AuthChallenge,
  canonicalResource,
  cleanLine,
  type DecodedMetadata,
  decodeResourceMetadata,
  decodeServerMetadata,
  type MetadataDiscovery,
  isResourceMetadata,
  isSameIssuer,
  isServerMetadata,
  type Json,
  judgeAddress,
  type Logger,
  type ResourceMetadata,
  resourceMetadataUrls,
  type ServerMetadata,
  serverMetadataUrls,
  signInFailed,
} from '../../core/index.ts';
import type { AuthHttp } from './authHttp.ts';

/** The authorization of a server, as discovered. */
export interface Protection {
  /** The resource to request tokens for. */
  readonly resource: string;
  readonly metadata: ServerMetadata;
  readonly found: MetadataDiscovery;
  /** `scopes_supported` of the server. */
  readonly scopes: readonly string[] | undefined;
  /** Whether only tokens bound to a key are accepted. */
  readonly demandsProof: boolean;
}

interface DiscoveryRequest {
  /** The server's address, with the HTTP scheme. */
  readonly server: URL;
  readonly challenge: AuthChallenge | undefined;
  /** Preferred if the server names several. */
  readonly preferredIssuer: string | undefined;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const AUTHOR = 'Report this to the author of the server.';

/** Discovers the authorization server (RFC 9728, RFC 8414, OpenID Connect Discovery; else MCP 2025-03-26). */
export async function discover(http: AuthHttp, request: DiscoveryRequest): Promise<Protection> {
  const { server, challenge, preferredIssuer } = request;
  const demandsProof = challenge?.demandsProof === true;
  const own = await findResource(http, request);
  if (own === undefined) return { ...(await findOrigin(http, request)), scopes: undefined, demandsProof };
  const issuer =
    own.issuers.find((name) => preferredIssuer !== undefined && isSameIssuer(name, preferredIssuer)) ??
    own.issuers[0] ??
    '';
  const url = safeAddress(issuer, server, `The server's authorization server, ${cleanLine(issuer, 200)},`);
  const metadata = await findServer(http, url, issuer, request);
  if (metadata === undefined) throw signInFailed(`The authorization server ${issuer} publishes no metadata.`, AUTHOR);
  return {
    resource: own.resource,
    metadata,
    found: 'named',
    scopes: own.scopes,
    demandsProof: demandsProof || own.demandsProof,
  };
}

async function findResource(http: AuthHttp, request: DiscoveryRequest): Promise<ResourceMetadata | undefined> {
  const { server, challenge } = request;
  const named = challenge?.resourceMetadata;
  for (const text of resourceMetadataUrls(server, named)) {
    const url = safeAddress(text, server, `The server's metadata, at ${cleanLine(text, 200)},`);
    const document = await read(http, url, isResourceMetadata, request);
    if (document === undefined) continue;
    return valueOf(decodeResourceMetadata(document, server), `The metadata at ${url.href}`);
  }
  if (named !== undefined)
    throw signInFailed(`The server names its metadata at ${cleanLine(named, 200)}, where there is none.`, AUTHOR);
  return undefined;
}

/** A server of 2025-03-26 is its own authorization server. */
async function findOrigin(
  http: AuthHttp,
  request: DiscoveryRequest,
): Promise<Pick<Protection, 'resource' | 'metadata' | 'found'>> {
  const { server } = request;
  const resource = canonicalResource(server);
  const origin = safeAddress(server.origin, server, 'The server');
  const metadata = await findServer(http, origin, server.origin, request);
  if (metadata !== undefined) return { resource, metadata, found: 'origin' };
  return { resource, metadata: assumedMetadata(server), found: 'assumed' };
}

/**
 * Tries all locations for metadata of the right issuer. Reports a wrong issuer only if no location has the right one.
 */
async function findServer(
  http: AuthHttp,
  url: URL,
  issuer: string,
  request: DiscoveryRequest,
): Promise<ServerMetadata | undefined> {
  let wrong: { readonly problem: string; readonly at: string } | undefined;
  for (const at of serverMetadataUrls(url)) {
    const document = await read(http, new URL(at), isServerMetadata, request);
    if (document === undefined) continue;
    const decoded = decodeServerMetadata(document, issuer, request.server);
    if ('value' in decoded) return decoded.value;
    wrong ??= { problem: decoded.problem, at };
  }
  return wrong === undefined ? undefined : valueOf<ServerMetadata>(wrong, `The metadata at ${wrong.at}`);
}

/** Metadata of the identity provider from user settings. */
export async function discoverIssuer(
  http: AuthHttp,
  issuer: string,
  request: Pick<DiscoveryRequest, 'log' | 'signal'>,
): Promise<ServerMetadata> {
  // No server chose this address, so every host is allowed.
  const url = safeAddress(issuer, new URL('http://localhost'), `The identity provider ${cleanLine(issuer, 200)}`);
  const asked = { ...request, server: url, challenge: undefined, preferredIssuer: undefined };
  const metadata = await findServer(http, url, issuer, asked);
  if (metadata !== undefined) return metadata;
  throw signInFailed(
    `The identity provider ${issuer} publishes no metadata.`,
    "Put its token endpoint into `auth.identityProvider` in the server's settings.",
  );
}

/** Reads a document. Returns `undefined` unless it is of the wanted kind, because some servers answer every path. */
async function read(
  http: AuthHttp,
  url: URL,
  isWanted: (document: Json | undefined) => boolean,
  { signal, log }: DiscoveryRequest,
): Promise<Json | undefined> {
  const { status, json } = await http.get(url, signal);
  log.log('debug', `Sign-in: GET ${url.href} gave HTTP ${status}.`);
  if (status >= 500)
    throw signInFailed(
      `${url.host} answered HTTP ${status} when asked how to sign in.`,
      'Wait a moment, then try again.',
    );
  return status >= 200 && status < 300 && isWanted(json) ? json : undefined;
}

function safeAddress(text: string, server: URL, what: string): URL {
  const verdict = judgeAddress(text, server);
  if ('url' in verdict) return verdict.url;
  throw signInFailed(
    `${what} ${verdict.refusal}.`,
    verdict.refusal === 'is not encrypted' ? "Use an address with https in the server's `url`." : AUTHOR,
  );
}

function valueOf<T>(decoded: DecodedMetadata<T>, what: string): T {
  if ('value' in decoded) return decoded.value;
  throw signInFailed(`${what} ${cleanLine(decoded.problem, 300)}.`, AUTHOR);
}
