import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { AuthSettings } from '../model/auth.ts';
import type { DecodedMetadata } from './resourceMetadata.ts';
import { includesAll } from './scopes.ts';
import type { ServerMetadata } from './serverMetadata.ts';

/** The host's identity at one authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly authMethod: TokenAuthMethod;
}

export type TokenAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** A client from dynamic client registration. */
export interface Registration extends OAuthClient {
  readonly redirectUri: string;
  /** The scopes it may request. Some authorization servers grant a client only its registered scopes. */
  readonly scopes: readonly string[];
  /** When the secret expires, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** How to get a client id, in the order of MCP 2026-07-28, "Client Registration". */
type ClientChoice =
  | {
      readonly kind: 'client';
      readonly client: OAuthClient;
      readonly from: 'settings' | 'metadataUrl' | 'registration';
    }
  | { readonly kind: 'register'; readonly endpoint: string }
  | { readonly kind: 'ask' };

interface ClientSources {
  readonly settings: AuthSettings;
  readonly metadata: ServerMetadata;
  /** A registration with this issuer. */
  readonly registration: Registration | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly now: number;
}

export function chooseClient(sources: ClientSources): ClientChoice {
  const { settings, metadata, registration } = sources;
  const { clientId, clientSecret, privateKey } = settings;
  const known = (from: 'settings' | 'metadataUrl', id: string, secret?: string): ClientChoice => ({
    kind: 'client',
    from,
    client: { clientId: id, clientSecret: secret, authMethod: chooseAuthMethod(metadata, secret, privateKey) },
  });
  if (clientId !== undefined) return known('settings', clientId, clientSecret);
  if (settings.clientMetadataUrl !== undefined && metadata.takesMetadataUrls)
    return known('metadataUrl', settings.clientMetadataUrl);
  if (registration !== undefined && isUsable(registration, sources))
    return { kind: 'client', from: 'registration', client: registration };
  if (metadata.registrationEndpoint !== undefined) return { kind: 'register', endpoint: metadata.registrationEndpoint };
  return { kind: 'ask' };
}

/** Many authorization servers compare redirect addresses including the port, which differs each time. */
function isUsable(registration: Registration, { redirectUri, scopes, now }: ClientSources): boolean {
  if (registration.redirectUri !== redirectUri || !includesAll(registration.scopes, scopes)) return false;
  return registration.expiresAt === undefined || registration.expiresAt > now;
}

/** RFC 8414 §2: the default is `client_secret_basic`. */
export function chooseAuthMethod(
  metadata: ServerMetadata,
  secret: string | undefined,
  privateKey: string | undefined,
): TokenAuthMethod {
  const takes = (method: TokenAuthMethod): boolean => metadata.tokenAuthMethods?.includes(method) === true;
  if (privateKey !== undefined && (takes('private_key_jwt') || secret === undefined)) return 'private_key_jwt';
  if (secret === undefined) return 'none';
  if (metadata.tokenAuthMethods === undefined || takes('client_secret_basic')) return 'client_secret_basic';
  if (takes('client_secret_post')) return 'client_secret_post';
  return takes('none') ? 'none' : 'client_secret_basic';
}

/** The request of RFC 7591. A native client cannot protect a secret, so it requests one only if it must. */
export function registrationRequest(
  metadata: ServerMetadata,
  redirectUri: string,
  scopes: readonly string[],
): JsonObject {
  const methods = metadata.tokenAuthMethods ?? ['none'];
  const preferred = ['none', 'client_secret_basic', 'client_secret_post'].find((method) => methods.includes(method));
  return {
    client_name: 'MCP Live',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: preferred ?? 'none',
    application_type: 'native',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  };
}

/** Reads the registration, which may differ from the request. */
export function decodeRegistration(
  document: Json | undefined,
  metadata: ServerMetadata,
  redirectUri: string,
  scopes: readonly string[],
): DecodedMetadata<Registration> {
  if (!isJsonObject(document)) return { problem: 'is not a JSON object' };
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expires } = document;
  if (typeof clientId !== 'string' || clientId === '') return { problem: 'has no client_id' };
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : undefined;
  const given = METHODS.find((method) => method === document['token_endpoint_auth_method']);
  if (given !== undefined && given !== 'none' && clientSecret === undefined)
    return { problem: `demands ${given} and gives no client_secret` };
  return {
    value: {
      clientId,
      clientSecret,
      authMethod: given ?? chooseAuthMethod(metadata, clientSecret, undefined),
      redirectUri,
      scopes,
      expiresAt: clientSecret !== undefined && typeof expires === 'number' && expires > 0 ? expires * 1000 : undefined,
    },
  };
}

const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
