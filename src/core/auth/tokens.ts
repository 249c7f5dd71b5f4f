import { isJsonObject, type Json } from '../base/json.ts';
import type { Secret } from '../base/secrets.ts';
import { splitScopes } from './challenge.ts';
import type { OAuthClient } from './client.ts';
import type { DecodedMetadata } from './resourceMetadata.ts';
import type { MetadataDiscovery } from './serverMetadata.ts';

/** The tokens of one authorization server for one resource. */
export interface TokenRecord {
  readonly issuer: string;
  readonly found: MetadataDiscovery;
  readonly resource: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | undefined;
  readonly accessToken: string;
  /** A `dpop` token needs a proof with `proofKey`. */
  readonly type: 'bearer' | 'dpop';
  readonly refreshToken: string | undefined;
  /** In milliseconds since the epoch. `undefined` if the server did not say. */
  readonly expiresAt: number | undefined;
  readonly issuedAt: number;
  /** The requested scopes; the granted ones may differ. */
  readonly requested: readonly string[];
  readonly granted: readonly string[];
  /** The client that got the token. Only this client can refresh it. */
  readonly client: OAuthClient;
  /** A private key as a JWK in JSON. */
  readonly proofKey: string | undefined;
  /** Configured servers for which the user allowed the token. */
  readonly servers: readonly string[];
}

export interface TokenReply {
  readonly accessToken: string;
  readonly type: 'bearer' | 'dpop';
  readonly refreshToken: string | undefined;
  readonly expiresIn: number | undefined;
  readonly scopes: readonly string[] | undefined;
}

/** A token counts as expired this long before its end, so that it does not expire on the way. */
const MARGIN_MS = 30_000;
/** In seconds. Longer lifetimes are treated as errors. */
const MAX_LIFE = 10 * 365 * 24 * 3600;

/** Reads the reply of a token endpoint (RFC 6749 §5.1). */
export function decodeTokenReply(document: Json | undefined): DecodedMetadata<TokenReply> {
  if (!isJsonObject(document)) return { problem: 'is not a JSON object' };
  const { access_token: accessToken, token_type: tokenType, refresh_token: refreshToken, scope } = document;
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    return { problem: 'has no access_token that can be sent' };
  const type = typeof tokenType === 'string' ? tokenType.toLowerCase() : 'nothing';
  if (type !== 'bearer' && type !== 'dpop') return { problem: `gives a token of the type ${type}` };
  return {
    value: {
      accessToken,
      type,
      refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
      expiresIn: decodeLife(document['expires_in']),
      scopes: typeof scope === 'string' ? splitScopes(scope) : undefined,
    },
  };
}

/** Some servers write the number as a string. */
function decodeLife(value: Json | undefined): number | undefined {
  const seconds = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_LIFE ? seconds : undefined;
}

/** Why a reply does not match a request with a key proof (RFC 9449 §5), or without one. */
export function proofProblem(reply: TokenReply, proved: boolean): string | undefined {
  if (reply.type === 'dpop') return proved ? undefined : 'binds the token to a key that nobody named';
  return proved ? 'does not bind the token to the key of this host' : undefined;
}

/** The record after a refresh. Members missing in the reply keep their values. */
export function refreshed(record: TokenRecord, reply: TokenReply, now: number): TokenRecord {
  return {
    ...record,
    accessToken: reply.accessToken,
    type: reply.type,
    refreshToken: reply.refreshToken ?? record.refreshToken,
    expiresAt: endOf(reply, now),
    issuedAt: now,
    granted: reply.scopes ?? record.granted,
  };
}

export function endOf(reply: TokenReply, now: number): number | undefined {
  return reply.expiresIn === undefined ? undefined : now + reply.expiresIn * 1000;
}

export function isExpired({ expiresAt, issuedAt }: Pick<TokenRecord, 'expiresAt' | 'issuedAt'>, now: number): boolean {
  if (expiresAt === undefined) return false;
  // The margin takes at most half of a short lifetime.
  return now >= expiresAt - Math.min(MARGIN_MS, (expiresAt - issuedAt) / 2);
}

/** The secrets of a record. Only its servers may see them. */
export function secretsOf({ accessToken, refreshToken, client, proofKey }: TokenRecord): readonly Secret[] {
  const named = {
    access_token: accessToken,
    refresh_token: refreshToken,
    client_secret: client.clientSecret,
    proofKey,
  };
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
