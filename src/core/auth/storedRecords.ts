import { isJsonArray, isJsonObject, type Json, parseJson } from '../base/json.ts';
import { Malformed, MemberReader } from '../base/memberReader.ts';
import type { OAuthClient, Registration, TokenAuthMethod } from './client.ts';
import type { MetadataDiscovery } from './serverMetadata.ts';
import type { TokenRecord } from './tokens.ts';

/** One sign-in, without secrets: which token belongs to which configured server. */
export interface SignInAccount {
  /** The server's address, as a resource. */
  readonly server: string;
  /** Distinguishes settings that get different tokens for the same address. */
  readonly variant: string;
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Whether credentials from settings may only go to this issuer. */
  readonly isPinned: boolean;
  /** Time of the sign-in, in milliseconds since the epoch. */
  readonly at: number;
}

/** Keys in the secret storage. A token belongs to one issuer, resource and client; a registration to one issuer. */
export const SECRET_KEYS = {
  accounts: 'mcpl.auth.accounts',
  token: ({ issuer, resource, variant }: Pick<SignInAccount, 'issuer' | 'resource' | 'variant'>): string =>
    `mcpl.auth.token ${JSON.stringify([issuer, resource, variant])}`,
  registration: (issuer: string): string => `mcpl.auth.client ${JSON.stringify([issuer])}`,
} as const;

/** Raise this when the format changes. Older records are then ignored, and the user signs in again. */
const VERSION = 1;

export function writeStored(value: TokenRecord | Registration | readonly SignInAccount[]): string {
  return JSON.stringify({ version: VERSION, value });
}

export function readAccounts(text: string | undefined): readonly SignInAccount[] {
  const value = readValue(text);
  return isJsonArray(value) ? value.flatMap((item) => decodeAll(item, account)) : [];
}

export function readToken(text: string | undefined): TokenRecord | undefined {
  return decodeAll(readValue(text), token)[0];
}

export function readRegistration(text: string | undefined): Registration | undefined {
  return decodeAll(readValue(text), registration)[0];
}

function readValue(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    const stored = parseJson(text);
    return isJsonObject(stored) && stored['version'] === VERSION ? stored['value'] : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an empty list if any member is invalid, so that no partial record is used. */
function decodeAll<T>(value: Json | undefined, decode: (members: MemberReader) => T): readonly T[] {
  if (!isJsonObject(value)) return [];
  try {
    return [decode(new MemberReader(value))];
  } catch (error) {
    if (error instanceof Malformed) return [];
    throw error;
  }
}

function account(members: MemberReader): SignInAccount {
  return {
    server: members.text('server'),
    variant: members.text('variant'),
    issuer: members.text('issuer'),
    resource: members.text('resource'),
    scopes: members.textList('scopes'),
    isPinned: members.json('isPinned') === true,
    at: members.number('at'),
  };
}

function token(members: MemberReader): TokenRecord {
  return {
    issuer: members.text('issuer'),
    found: members.choice<MetadataDiscovery>('found', ['named', 'origin', 'assumed']),
    resource: members.text('resource'),
    tokenEndpoint: members.text('tokenEndpoint'),
    revocationEndpoint: members.optionalText('revocationEndpoint'),
    accessToken: members.text('accessToken'),
    type: members.choice('type', ['bearer', 'dpop']),
    refreshToken: members.optionalText('refreshToken'),
    expiresAt: members.optionalNumber('expiresAt'),
    issuedAt: members.number('issuedAt'),
    requested: members.textList('requested'),
    granted: members.textList('granted'),
    client: client(members.members('client') ?? new MemberReader({})),
    proofKey: members.optionalText('proofKey'),
    servers: members.textList('servers'),
  };
}

function registration(members: MemberReader): Registration {
  return {
    ...client(members),
    redirectUri: members.text('redirectUri'),
    scopes: members.textList('scopes'),
    expiresAt: members.optionalNumber('expiresAt'),
  };
}

function client(members: MemberReader): OAuthClient {
  return {
    clientId: members.text('clientId'),
    clientSecret: members.optionalText('clientSecret'),
    authMethod: members.choice<TokenAuthMethod>('authMethod', [
      'none',
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ]),
  };
}
