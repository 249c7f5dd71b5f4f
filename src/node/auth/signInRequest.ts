import {
  type AuthBrowser,
  type AuthPrompt,
  type AuthSettings,
  CancellationSource,
  type CancellationToken,
  type Clock,
  endOf,
  type Logger,
  type OAuthClient,
  type Secret,
  type SecretList,
  signInFailed,
  type SignInQuestion,
  type TokenRecord,
  type TokenReply,
} from '../../core/index.ts';
import type { AccountStore } from './accountStore.ts';
import type { Protection } from './authDiscovery.ts';
import type { AuthHttp } from './authHttp.ts';
import { ProofKey } from './proofKey.ts';

/** The dependencies of every sign-in method. */
export interface SignInTools {
  readonly http: AuthHttp;
  readonly store: AccountStore;
  readonly held: SecretList;
  readonly prompt: AuthPrompt;
  readonly browser: AuthBrowser;
  readonly clock: Clock;
}

/** A request for one token. */
export interface SignInRequest {
  /** The server's name in settings. */
  readonly serverId: string;
  readonly settings: AuthSettings;
  readonly protection: Protection;
  readonly scopes: readonly string[];
  readonly reason: SignInQuestion['reason'];
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The key to bind the token to. `undefined` for bearer tokens. */
export async function proofKeyFor({ settings, protection }: SignInRequest): Promise<ProofKey | undefined> {
  const isAlways = settings.dpop === 'always';
  if (!isAlways && !protection.demandsProof) return undefined;
  const { issuer, proofAlgorithms } = protection.metadata;
  if (proofAlgorithms === undefined ? isAlways : !proofAlgorithms.includes(ProofKey.algorithm))
    throw signInFailed(
      `${issuer} does not bind tokens to keys (DPoP with ${ProofKey.algorithm}).`,
      isAlways ? "Remove `auth.dpop` from the server's settings." : 'Report this to the author of the server.',
    );
  return ProofKey.generate();
}

export function newRecord(
  { protection, scopes, serverId }: SignInRequest,
  reply: TokenReply,
  client: OAuthClient,
  proofKey: ProofKey | undefined,
  now: number,
): TokenRecord {
  const { metadata, found, resource } = protection;
  return {
    issuer: metadata.issuer,
    found,
    resource,
    tokenEndpoint: metadata.tokenEndpoint,
    revocationEndpoint: metadata.revocationEndpoint,
    accessToken: reply.accessToken,
    type: reply.type,
    refreshToken: reply.refreshToken,
    expiresAt: endOf(reply, now),
    issuedAt: now,
    requested: scopes,
    granted: reply.scopes ?? scopes,
    client: { clientId: client.clientId, clientSecret: client.clientSecret, authMethod: client.authMethod },
    proofKey: proofKey?.exported,
    servers: [serverId],
  };
}

/** Calls a function with a cancellation token that follows `signal`. */
export async function withToken<T>(signal: AbortSignal, call: (token: CancellationToken) => Promise<T>): Promise<T> {
  const source = new CancellationSource();
  const stop = (): void => source.cancel();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await call(source.token);
  } finally {
    signal.removeEventListener('abort', stop);
    source.dispose();
  }
}

/** Secrets of a sign-in that belong to no server. */
export function named(values: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
