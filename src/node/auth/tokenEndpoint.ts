import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { PrivateKey } from 'oauth4webapi';
import {
  cleanLine,
  decodeTokenReply,
  type HostError,
  isJsonObject,
  type Json,
  type OAuthClient,
  oauthFailure,
  proofProblem,
  type ServerMetadata,
  signInFailed,
  type TokenReply,
} from '../../core/index.ts';
import { readJson } from '../http/httpBody.ts';
import type { AuthHttp, AuthHttpReply } from './authHttp.ts';
import type { ProofKey } from './proofKey.ts';

/** A client, with its private key if it has one. */
export interface ClientCredentials extends OAuthClient {
  readonly privateKey?: string | undefined;
  readonly algorithm?: string | undefined;
}

interface TokenRequest {
  readonly metadata: Pick<ServerMetadata, 'issuer' | 'tokenEndpoint'>;
  readonly client: ClientCredentials;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** The key to bind the token to, if any. */
  readonly proofKey?: ProofKey | undefined;
  readonly signal: AbortSignal;
}

/** Requests a token. Rejects with the error of the authorization server. */
export async function requestToken(http: AuthHttp, request: TokenRequest): Promise<TokenReply> {
  const reply = await requestTokenDocument(http, request);
  const decoded = decodeTokenReply(reply);
  const problem = 'problem' in decoded ? decoded.problem : proofProblem(decoded.value, request.proofKey !== undefined);
  if ('value' in decoded && problem === undefined) return decoded.value;
  throw signInFailed(
    `The answer of ${request.metadata.issuer} ${cleanLine(problem ?? '', 200)}.`,
    'Report this to who runs the authorization server.',
  );
}

/** For grants that do not return an access token. */
export async function requestTokenDocument(http: AuthHttp, request: TokenRequest): Promise<Json | undefined> {
  const url = new URL(request.metadata.tokenEndpoint);
  let reply = await post(http, request);
  // RFC 9449 §8: the first reply supplies the nonce.
  const nonce = reply.headers['dpop-nonce'];
  request.proofKey?.takeNonce(url, nonce);
  if (nonce !== undefined && errorOf(reply) === 'use_dpop_nonce') {
    reply = await post(http, request);
    request.proofKey?.takeNonce(url, reply.headers['dpop-nonce']);
  }
  if (reply.status >= 200 && reply.status < 300) return reply.json;
  throw refusal(`${request.metadata.issuer} gave no token`, reply);
}

/** The error for a failed request to an authorization server. */
export function refusal(what: string, reply: AuthHttpReply): HostError {
  const { status, json } = reply;
  const error = errorOf(reply);
  const description = isJsonObject(json) ? json['error_description'] : undefined;
  if (error !== undefined) return oauthFailure(what, error, typeof description === 'string' ? description : undefined);
  return signInFailed(
    `${what}: it answered HTTP ${status}.`,
    "Check `auth` in the server's settings.",
    `http-${status}`,
  );
}

async function post(http: AuthHttp, request: TokenRequest): Promise<AuthHttpReply> {
  const { metadata, client, grantType, parameters, proofKey, signal } = request;
  const body = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  let reply: AuthHttpReply | undefined;
  await oauth.genericTokenEndpointRequest(
    { issuer: metadata.issuer, token_endpoint: metadata.tokenEndpoint },
    // A workload may have no id, but the library requires one. It is not sent in that case.
    { client_id: client.clientId === '' ? 'none' : client.clientId },
    await authentication(client),
    grantType,
    new URLSearchParams(body),
    {
      ...(proofKey === undefined ? {} : { DPoP: proofKey.handleFor(new URL(metadata.tokenEndpoint)) }),
      // The address was checked when the metadata was read.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, { headers, body: form }) => {
        reply = await http.post({ url: new URL(url), headers, body: String(form) }, signal);
        return new Response();
      },
    },
  );
  if (reply === undefined) throw signInFailed('No token was asked for.', 'Try again.');
  return reply;
}

/** The client authentication for the token endpoint and other endpoints. */
export async function authentication(client: ClientCredentials): Promise<oauth.ClientAuth> {
  const { clientId, clientSecret = '', authMethod, privateKey } = client;
  switch (authMethod) {
    case 'none':
      return clientId === '' ? () => undefined : oauth.None();
    case 'client_secret_post':
      return oauth.ClientSecretPost(clientSecret);
    case 'client_secret_basic':
      return (_server, _client, _body, headers) =>
        headers.set('authorization', `Basic ${basicCredentials(clientId, clientSecret)}`);
    case 'private_key_jwt': {
      if (privateKey === undefined)
        throw signInFailed('The client needs a private key.', "Put `auth.privateKey` into the server's settings.");
      return oauth.PrivateKeyJwt(await importClientKey(privateKey, client.algorithm));
    }
  }
}

/** The encoded secret, which an authorization server may repeat in an error. It must be redacted too. */
export function sentSecret({ clientId, clientSecret }: Omit<OAuthClient, 'authMethod'>): string | undefined {
  return clientSecret === undefined ? undefined : basicCredentials(clientId, clientSecret);
}

function basicCredentials(clientId: string, clientSecret: string): string {
  return btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`);
}

/**
 * RFC 6749 §2.3.1. Unlike the library, does not escape characters that forms keep: many servers do not decode, and
 * would see another name.
 */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function errorOf({ json }: AuthHttpReply): string | undefined {
  const error = isJsonObject(json) ? json['error'] : undefined;
  // The error code is stored as a category, so accept only a single word.
  return typeof error === 'string' && /^[\w.:/-]{1,100}$/.test(error) ? error : undefined;
}

interface KeyKind {
  readonly algorithm: string;
  readonly parameters: webcrypto.RsaHashedImportParams | webcrypto.EcKeyImportParams | { readonly name: string };
}

const rsa = (name: string, bits: string): webcrypto.RsaHashedImportParams => ({ name, hash: `SHA-${bits}` });
const ec = (namedCurve: string): webcrypto.EcKeyImportParams => ({ name: 'ECDSA', namedCurve });

const KINDS: readonly KeyKind[] = [
  { algorithm: 'ES256', parameters: ec('P-256') },
  { algorithm: 'ES384', parameters: ec('P-384') },
  { algorithm: 'ES512', parameters: ec('P-521') },
  ...['256', '384', '512'].flatMap((bits) => [
    { algorithm: `RS${bits}`, parameters: rsa('RSASSA-PKCS1-v1_5', bits) },
    { algorithm: `PS${bits}`, parameters: rsa('RSA-PSS', bits) },
  ]),
  { algorithm: 'Ed25519', parameters: { name: 'Ed25519' } },
];

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** The private key from settings, for `private_key_jwt`. Rejects with a suggestion for the settings. */
async function importClientKey(text: string, named: string | undefined): Promise<PrivateKey> {
  const jwk = readJson(text);
  const isJwk = isJsonObject(jwk);
  let key: KeyObject;
  try {
    key = isJwk ? createPrivateKey({ key: { ...jwk }, format: 'jwk' }) : createPrivateKey(text);
  } catch {
    throw unusable('is neither a PEM text nor a JWK');
  }
  const given = isJwk && typeof jwk['alg'] === 'string' ? jwk['alg'] : undefined;
  const algorithm = (named ?? given ?? algorithmOf(key))?.replace('EdDSA', 'Ed25519');
  const kind = KINDS.find((candidate) => candidate.algorithm === algorithm);
  if (kind === undefined) throw unusable(`cannot sign by ${algorithm ?? 'any known algorithm'}`);
  const kid = isJwk && typeof jwk['kid'] === 'string' ? { kid: jwk['kid'] } : {};
  try {
    const der = key.export({ type: 'pkcs8', format: 'der' });
    return { key: await crypto.subtle.importKey('pkcs8', der, kind.parameters, false, ['sign']), ...kid };
  } catch {
    throw unusable(`is not one for ${kind.algorithm}`);
  }
}

function algorithmOf(key: KeyObject): string | undefined {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
    case 'rsa':
      return 'RS256';
    case 'rsa-pss':
      return 'PS256';
    case 'ed25519':
      return 'Ed25519';
    default:
      return undefined;
  }
}

function unusable(why: string): Error {
  return signInFailed(`The private key in the settings ${why}.`, "Correct `auth.privateKey` in the server's settings.");
}
