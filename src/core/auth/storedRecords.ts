import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../base/json.ts';
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

class Damaged extends Error {}

/** Returns an empty list if any member is invalid, so that no partial record is used. */
function decodeAll<T>(value: Json | undefined, decode: (members: Members) => T): readonly T[] {
  if (!isJsonObject(value)) return [];
  try {
    return [decode(new Members(value))];
  } catch (error) {
    if (error instanceof Damaged) return [];
    throw error;
  }
}

class Members {
  readonly #value: JsonObject;

  constructor(value: JsonObject) {
    this.#value = value;
  }

  text(key: string): string {
    return this.optionalText(key) ?? damaged();
  }

  optionalText(key: string): string | undefined {
    const value = this.#value[key];
    return value === undefined || typeof value === 'string' ? value : damaged();
  }

  number(key: string): number {
    return this.optionalNumber(key) ?? damaged();
  }

  optionalNumber(key: string): number | undefined {
    const value = this.#value[key];
    return value === undefined || typeof value === 'number' ? value : damaged();
  }

  texts(key: string): readonly string[] {
    const value = this.#value[key];
    if (!isJsonArray(value)) return damaged();
    return value.map((item) => (typeof item === 'string' ? item : damaged()));
  }

  oneOf<const T extends string>(key: string, choices: readonly T[]): T {
    return choices.find((choice) => choice === this.#value[key]) ?? damaged();
  }

  isTrue(key: string): boolean {
    return this.#value[key] === true;
  }

  members(key: string): Members {
    const value = this.#value[key];
    return isJsonObject(value) ? new Members(value) : damaged();
  }
}

function damaged(): never {
  throw new Damaged();
}

function account(members: Members): SignInAccount {
  return {
    server: members.text('server'),
    variant: members.text('variant'),
    issuer: members.text('issuer'),
    resource: members.text('resource'),
    scopes: members.texts('scopes'),
    isPinned: members.isTrue('isPinned'),
    at: members.number('at'),
  };
}

function token(members: Members): TokenRecord {
  return {
    issuer: members.text('issuer'),
    found: members.oneOf<MetadataDiscovery>('found', ['named', 'origin', 'assumed']),
    resource: members.text('resource'),
    tokenEndpoint: members.text('tokenEndpoint'),
    revocationEndpoint: members.optionalText('revocationEndpoint'),
    accessToken: members.text('accessToken'),
    type: members.oneOf('type', ['bearer', 'dpop']),
    refreshToken: members.optionalText('refreshToken'),
    expiresAt: members.optionalNumber('expiresAt'),
    issuedAt: members.number('issuedAt'),
    requested: members.texts('requested'),
    granted: members.texts('granted'),
    client: client(members.members('client')),
    proofKey: members.optionalText('proofKey'),
    servers: members.texts('servers'),
  };
}

function registration(members: Members): Registration {
  return {
    ...client(members),
    redirectUri: members.text('redirectUri'),
    scopes: members.texts('scopes'),
    expiresAt: members.optionalNumber('expiresAt'),
  };
}

function client(members: Members): OAuthClient {
  return {
    clientId: members.text('clientId'),
    clientSecret: members.optionalText('clientSecret'),
    authMethod: members.oneOf<TokenAuthMethod>('authMethod', [
      'none',
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ]),
  };
}
