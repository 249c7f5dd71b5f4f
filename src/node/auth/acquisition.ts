import {
  type SignInAccount,
  type AuthChallenge,
  type AuthSettings,
  canonicalResource,
  challengeFailure,
  chooseScopes,
  type ConnectContext,
  type HeldToken,
  type HostError,
  isExpired,
  isHopeless,
  isHostError,
  isSameIssuer,
  signInFailed,
  type TokenRecord,
} from '../../core/index.ts';
import type { AccountKey, StoredSignIn } from './accountStore.ts';
import { discover, type Protection } from './authDiscovery.ts';
import { bindsCredentials, signInByMachine } from './machineSignIn.ts';
import { askConsent, signInByUser } from './userSignIn.ts';
import { refresh } from './renewal.ts';
import type { SignInRequest, SignInTools } from './signInRequest.ts';

/** The configured server that needs a token. */
export interface TokenSubject {
  readonly serverId: string;
  /** The server's address, with the HTTP scheme. */
  readonly server: URL;
  readonly key: AccountKey;
  readonly settings: AuthSettings;
  readonly context: Pick<ConnectContext, 'log'>;
  /** Called when a wait for the user starts or ends, so that deadlines can be paused. */
  readonly onWaiting?: ((isWaiting: boolean) => void) | undefined;
}

/** Why the current token is insufficient. */
export interface TokenNeed {
  readonly challenge: AuthChallenge | undefined;
  /** The access token at the time of the rejection. */
  readonly stale: string | undefined;
  readonly held: HeldToken | undefined;
  /** The server requires more scopes. */
  readonly isStepUp: boolean;
  /** Whether the token may be refreshed without asking the user. */
  readonly refresh: boolean;
  readonly scopes: readonly string[] | undefined;
}

/** Gets a token with as few prompts as possible. Rejects with a suggestion for the user. */
export async function acquireToken(
  tools: SignInTools,
  subject: TokenSubject,
  need: TokenNeed,
  signal: AbortSignal,
): Promise<TokenRecord> {
  const { server, key, context, settings } = subject;
  const stored = await tools.store.find(key);
  const isReplaced = stored !== undefined && stored.token.accessToken !== need.stale;
  if (isReplaced && mayUse(subject, stored.token) && !isExpired(stored.token, tools.clock.now())) return stored.token;
  const account = stored?.account ?? (await tools.store.account(key));
  const protection = await discover(tools.http, {
    server,
    challenge: need.challenge,
    preferredIssuer: account?.issuer ?? settings.issuer,
    log: context.log,
    signal,
  });
  checkIssuer(protection.metadata.issuer, account, settings);
  const isSame = isIssuerOf(account, protection.metadata.issuer) && account.resource === protection.resource;
  const usable = isSame ? stored : undefined;
  const kept = usable && (await reuse(tools, subject, need, protection, usable, signal));
  return kept ?? signIn(tools, subject, need, protection, account, signal);
}

/** A token that the user allowed for another server needs a new consent. */
export function mayUse({ settings, serverId }: TokenSubject, token: TokenRecord): boolean {
  return settings.flow !== 'auto' || token.servers.includes(serverId);
}

/** Whether the user or an authorization server refused, as opposed to a network failure. */
export function isRefusal(error: unknown): error is HostError {
  if (isHostError(error, 'SIGN_IN_REQUIRED')) return true;
  return isHostError(error, 'SIGN_IN_FAILED') && error.category !== undefined;
}

/** The account key of a server's settings. Other credentials use another account. */
export function accountKey(server: URL, { flow, clientId, clientMetadataUrl }: AuthSettings): AccountKey {
  return { server: canonicalResource(server), variant: JSON.stringify([flow, clientId ?? clientMetadataUrl ?? null]) };
}

/** Reuses a sign-in at the same authorization server. `undefined` if a new sign-in is needed. */
async function reuse(
  tools: SignInTools,
  subject: TokenSubject,
  need: TokenNeed,
  protection: Protection,
  stored: StoredSignIn,
  signal: AbortSignal,
): Promise<TokenRecord | undefined> {
  const { token } = stored;
  if (!mayUse(subject, token)) return adopt(tools, subject, protection, stored, signal);
  if (!need.isStepUp && isHopeless(need.held)) throw challengeFailure('refusedToken', []);
  if (!need.refresh || token.refreshToken === undefined) return undefined;
  try {
    return await refresh(tools, stored, subject.settings, signal);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** A token exists already. Only asks whether this server may use it. */
async function adopt(
  tools: SignInTools,
  subject: TokenSubject,
  protection: Protection,
  { account, token }: StoredSignIn,
  signal: AbortSignal,
): Promise<TokenRecord> {
  const request = requestFor(subject, protection, token.requested, 'otherServer', signal);
  await withUser(subject, () => askConsent(tools, request));
  const shared = { ...token, servers: [...token.servers, subject.serverId] };
  await tools.store.replaceToken(account, shared);
  return shared;
}

async function signIn(
  tools: SignInTools,
  subject: TokenSubject,
  need: TokenNeed,
  protection: Protection,
  account: SignInAccount | undefined,
  signal: AbortSignal,
): Promise<TokenRecord> {
  const { settings, key } = subject;
  const { issuer, scopes: ofIssuer } = protection.metadata;
  const isByUser = settings.flow === 'auto';
  const scopes = chooseScopes({
    challenged: need.scopes,
    ofResource: protection.scopes,
    // Machine flows need no offline access, because the host can always request a new token.
    ofIssuer: isByUser ? ofIssuer : undefined,
    fromSettings: settings.scopes ?? [],
    before: isIssuerOf(account, issuer) ? account.scopes : [],
  });
  const request = requestFor(subject, protection, scopes, reasonFor(account, issuer, need), signal);
  const token = isByUser
    ? await withUser(subject, () => signInByUser(tools, request))
    : await signInByMachine(tools, request);
  const { resource, requested, issuedAt } = token;
  const isPinned = bindsCredentials(settings);
  await tools.store.save({ ...key, issuer, resource, scopes: requested, isPinned, at: issuedAt }, token);
  return token;
}

function requestFor(
  { serverId, settings, context }: TokenSubject,
  protection: Protection,
  scopes: readonly string[],
  reason: SignInRequest['reason'],
  signal: AbortSignal,
): SignInRequest {
  return { serverId, settings, protection, scopes, reason, log: context.log, signal };
}

async function withUser<T>({ onWaiting }: TokenSubject, work: () => Promise<T>): Promise<T> {
  onWaiting?.(true);
  try {
    return await work();
  } finally {
    onWaiting?.(false);
  }
}

/**
 * Credentials in settings belong to one authorization server (MCP 2026-07-28, "Authorization Server Binding"). A server
 * that names another one could be trying to steal them.
 */
function checkIssuer(issuer: string, account: SignInAccount | undefined, settings: AuthSettings): void {
  const bound = settings.issuer ?? (account?.isPinned === true ? account.issuer : undefined);
  if (bound === undefined || isSameIssuer(bound, issuer)) return;
  throw signInFailed(
    `The server now names ${issuer} as its authorization server, and the credentials in its settings are for ${bound}.`,
    'If that is right, sign out of the server and correct `auth` in its settings.',
    'other_issuer',
  );
}

function isIssuerOf(account: SignInAccount | undefined, issuer: string): account is SignInAccount {
  return account !== undefined && isSameIssuer(account.issuer, issuer);
}

function reasonFor(
  account: SignInAccount | undefined,
  issuer: string,
  { isStepUp }: TokenNeed,
): SignInRequest['reason'] {
  if (account === undefined) return 'first';
  if (!isIssuerOf(account, issuer)) return 'otherIssuer';
  return isStepUp ? 'moreScopes' : 'again';
}
