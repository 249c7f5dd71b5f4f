import {
  type Account,
  authChallenge,
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
  planChallenge,
  signInFailed,
  signInRequired,
  type TokenRecord,
} from '../../core/index.ts';
import type { Authorizer, AuthorizedRequest, AuthReply } from '../authorizer.ts';
import type { HttpHeaders } from '../httpRequest.ts';
import type { AccountKey, StoredSignIn } from './accountStore.ts';
import { discover, type Protection } from './discovery.ts';
import { bindsCredentials, signInByMachine } from './machineSignIn.ts';
import { askConsent, signInByPerson } from './personSignIn.ts';
import { ProofKey } from './proofKey.ts';
import { refresh } from './renewal.ts';
import type { SharedWork } from './sharedWork.ts';
import type { SignInRequest, SignInTools } from './signIn.ts';

/** What an authorizer shares with those of other servers. */
export interface AuthorizerTools extends SignInTools {
  /** So that two connections to one server do not open two browsers, nor use up one refresh token. */
  readonly renewals: SharedWork<TokenRecord>;
}

export interface AuthorizerOptions {
  readonly serverId: string;
  /** As one of HTTP. */
  readonly server: URL;
  readonly settings: AuthSettings;
  readonly hasStaticHeader: boolean;
  readonly context: Pick<ConnectContext, 'log' | 'isProbe'>;
  /** Told when a person is waited for, and when no more: a deadline should not run meanwhile. */
  readonly onWaiting?: ((isWaiting: boolean) => void) | undefined;
}

/** Some transports say which credentials a request carried, so that a late refusal of old ones starts nothing. */
type Reply = AuthReply & { readonly authorization?: string | undefined };
/** Proofs are bound to the message where it is known. */
type Request = AuthorizedRequest & { readonly body?: string | undefined };

/** Credentials for one connection, out of the tokens that all connections share. */
export class OAuthAuthorizer implements Authorizer {
  readonly #tools: AuthorizerTools;
  readonly #options: AuthorizerOptions;
  readonly #key: AccountKey;
  readonly #ended = new AbortController();
  #proof: { readonly exported: string; readonly key: Promise<ProofKey> } | undefined;
  /** Once a person declined, or an authorization server refused: not tried again on this connection. */
  #refusal: HostError | undefined;
  #renewals = 0;
  #repeats = 0;

  constructor(tools: AuthorizerTools, options: AuthorizerOptions) {
    this.#tools = tools;
    this.#options = options;
    this.#key = accountKey(options.server, options.settings);
  }

  async headersFor(request: Request, signal: AbortSignal): Promise<HttpHeaders> {
    const { url, method, body } = request;
    if (this.#isIdle() || httpOrigin(url) !== this.#options.server.origin) return {};
    const token = await this.#usableToken(signal);
    if (token === undefined) return {};
    if (token.proofKey === undefined) return { authorization: `Bearer ${token.accessToken}` };
    const key = await this.#proofKey(token.proofKey);
    const proof = await key.prove({ method, url, accessToken: token.accessToken, body });
    return { authorization: `DPoP ${token.accessToken}`, dpop: proof };
  }

  replied({ status, url, headers }: AuthReply): void {
    if (httpOrigin(url) !== this.#options.server.origin) return;
    const nonce = headers['dpop-nonce'];
    if (nonce !== undefined) void this.#proof?.key.then((key) => key.takeNonce(url, nonce)).catch(() => undefined);
    if (status === 401 || status === 403) return;
    this.#renewals = 0;
    this.#repeats = 0;
  }

  async challenged(reply: Reply, signal: AbortSignal): Promise<boolean> {
    const { server, settings, hasStaticHeader, context } = this.#options;
    // Only the server itself may start anything.
    if (httpOrigin(reply.url) !== server.origin) return false;
    const challenge = authChallenge(challengeValues(reply));
    const stored = this.#isIdle() ? undefined : await this.#tools.store.find(this.#key);
    const held = stored && this.#isOurs(stored.token) ? this.#heldToken(stored.token, reply) : undefined;
    const plan = planChallenge({
      status: reply.status,
      challenge,
      flow: settings.flow,
      hasStaticHeader,
      token: held,
      renewals: this.#renewals,
      repeats: this.#repeats,
    });
    context.log.log('debug', `Sign-in: HTTP ${reply.status}, ${challenge?.error ?? 'no error named'}: ${plan.kind}.`);
    switch (plan.kind) {
      case 'tell':
        return false;
      case 'fail':
        throw challengeFailure(plan.why, challenge?.scopes ?? []);
      case 'repeat':
        this.#repeats++;
        return true;
      case 'renew':
        if (this.#refusal !== undefined) throw this.#refusal;
        await this.#renew({ challenge, stale: stored?.token.accessToken, held, ...plan }, signal);
        this.#renewals++;
        this.#repeats = 0;
        return true;
    }
  }

  dispose(): void {
    this.#ended.abort();
  }

  #isIdle(): boolean {
    return this.#options.hasStaticHeader || this.#options.settings.flow === 'off';
  }

  /** A token that a person allowed for a server of another name is not this one's yet. */
  #isOurs(token: TokenRecord): boolean {
    return this.#options.settings.flow !== 'auto' || token.servers.includes(this.#options.serverId);
  }

  #heldToken({ accessToken, issuedAt, requested }: TokenRecord, { authorization }: Reply): HeldToken {
    const isSent = authorization?.endsWith(` ${accessToken}`);
    const wasSent = isSent === undefined ? 'unknown' : isSent ? 'yes' : 'no';
    return { wasSent, age: this.#tools.clock.now() - issuedAt, requested };
  }

  async #usableToken(signal: AbortSignal): Promise<TokenRecord | undefined> {
    const stored = await this.#tools.store.find(this.#key);
    if (stored === undefined || !this.#isOurs(stored.token)) return undefined;
    if (!isExpired(stored.token, this.#tools.clock.now())) return stored.token;
    if (stored.token.refreshToken === undefined) return undefined;
    try {
      return await this.#share('refresh', signal, (shared) => this.#refresh(stored, shared));
    } catch (error) {
      // Without a token the server says what it wants, and that begins anew.
      if (isRefused(error)) return undefined;
      throw error;
    }
  }

  async #proofKey(exported: string): Promise<ProofKey> {
    if (this.#proof?.exported !== exported) this.#proof = { exported, key: ProofKey.import(exported) };
    return this.#proof.key;
  }

  #share(kind: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<TokenRecord>): Promise<TokenRecord> {
    const { server, variant } = this.#key;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    return this.#tools.renewals.run(JSON.stringify([kind, server, variant]), either, work);
  }

  async #renew(why: Renewal, signal: AbortSignal): Promise<void> {
    const { context } = this.#options;
    try {
      const token = await this.#share('renew', signal, (shared) => this.#getToken(why, shared));
      // Whoever joined the work of a server of another name still has to ask.
      if (!this.#isOurs(token)) await this.#share('renew', signal, (shared) => this.#getToken(why, shared));
    } catch (error) {
      if (isRefused(error)) this.#refusal = error;
      if (isHostError(error)) context.log.log('info', `Sign-in: ${error.message}`);
      throw error;
    }
  }

  async #getToken(
    { challenge, stale, held, refresh: mayRefresh, scopes }: Renewal,
    signal: AbortSignal,
  ): Promise<TokenRecord> {
    const { server, context, settings } = this.#options;
    const stored = await this.#tools.store.find(this.#key);
    const isNew = stored !== undefined && stored.token.accessToken !== stale;
    if (isNew && this.#isOurs(stored.token) && !isExpired(stored.token, this.#tools.clock.now())) return stored.token;
    const account = await this.#tools.store.account(this.#key);
    const preferredIssuer = account?.issuer ?? settings.issuer;
    const { log } = context;
    const protection = await discover(this.#tools.http, { server, challenge, preferredIssuer, log, signal });
    const { issuer } = protection.metadata;
    checkIssuer(issuer, account, settings);
    const isSame = account?.issuer === issuer && account.resource === protection.resource;
    if (stored !== undefined && isSame && !this.#isOurs(stored.token))
      return this.#adopt(stored, this.#request(protection, stored.token.requested, 'otherServer', signal));
    if (isSame && scopes === undefined && isHopeless(held)) throw challengeFailure('refusedToken', []);
    if (stored !== undefined && isSame && mayRefresh && stored.token.refreshToken !== undefined) {
      const renewed = await this.#refresh(stored, signal).catch((error: unknown) => {
        if (isRefused(error)) return undefined;
        throw error;
      });
      if (renewed !== undefined) return renewed;
    }
    const wanted = chooseScopes({
      challenged: scopes,
      ofResource: protection.scopes,
      ofIssuer: settings.flow === 'auto' ? protection.metadata.scopes : undefined,
      fromSettings: settings.scopes ?? [],
      before: isSame ? account.scopes : [],
    });
    const token = await this.#signIn(this.#request(protection, wanted, reasonFor(account, issuer, held), signal));
    await this.#tools.store.save(this.#accountOf(token), token);
    return token;
  }

  #request(
    protection: Protection,
    scopes: readonly string[],
    reason: SignInRequest['reason'],
    signal: AbortSignal,
  ): SignInRequest {
    const { serverId, settings, context } = this.#options;
    return { serverId, settings, protection, scopes, reason, log: context.log, signal };
  }

  async #signIn(request: SignInRequest): Promise<TokenRecord> {
    if (this.#options.settings.flow !== 'auto') return signInByMachine(this.#tools, request);
    return this.#withPerson(() => signInByPerson(this.#tools, request));
  }

  /** A token is there already; only that this server may use it has to be allowed. */
  async #adopt({ account, token }: StoredSignIn, request: SignInRequest): Promise<TokenRecord> {
    await this.#withPerson(() => askConsent(this.#tools, request));
    const shared = { ...token, servers: [...token.servers, request.serverId] };
    await this.#tools.store.replaceToken(account, shared);
    return shared;
  }

  async #withPerson<T>(work: () => Promise<T>): Promise<T> {
    const { context, onWaiting } = this.#options;
    if (context.isProbe === true) throw signInRequired('The server needs sign-in.', 'Start the server to sign in.');
    onWaiting?.(true);
    try {
      return await work();
    } finally {
      onWaiting?.(false);
    }
  }

  #refresh(stored: StoredSignIn, signal: AbortSignal): Promise<TokenRecord> {
    return refresh(this.#tools, stored, this.#options.settings, signal);
  }

  #accountOf({ issuer, resource, requested, issuedAt }: TokenRecord): Account {
    const isPinned = bindsCredentials(this.#options.settings);
    return { ...this.#key, issuer, resource, scopes: requested, isPinned, at: issuedAt };
  }
}

interface Renewal {
  readonly challenge: AuthChallenge | undefined;
  /** What was there when the request was turned away. */
  readonly stale: string | undefined;
  readonly held: HeldToken | undefined;
  readonly refresh: boolean;
  readonly scopes: readonly string[] | undefined;
}

/** Which account belongs to a server's settings: other credentials, other tokens. */
export function accountKey(server: URL, { flow, clientId, clientMetadataUrl }: AuthSettings): AccountKey {
  return { server: canonicalResource(server), variant: JSON.stringify([flow, clientId ?? clientMetadataUrl ?? null]) };
}

/**
 * Credentials of the settings were made for one authorization server (MCP 2026-07-28, "Authorization Server Binding"):
 * a server that names another one could be after them.
 */
function checkIssuer(issuer: string, account: Account | undefined, settings: AuthSettings): void {
  const bound = settings.issuer ?? (account?.isPinned === true ? account.issuer : undefined);
  if (bound === undefined || bound === issuer) return;
  throw signInFailed(
    `The server now names ${issuer} as its authorization server, and the credentials in its settings are for ${bound}.`,
    'If that is right, sign out of the server and correct `auth` in its settings.',
    'other_issuer',
  );
}

function reasonFor(account: Account | undefined, issuer: string, held: HeldToken | undefined): SignInRequest['reason'] {
  if (account === undefined) return 'first';
  if (account.issuer !== issuer) return 'otherIssuer';
  return held === undefined ? 'again' : 'moreScopes';
}

/** Said by a person or an authorization server, as opposed to a network that failed. */
function isRefused(error: unknown): error is HostError {
  if (isHostError(error, 'SIGN_IN_REQUIRED')) return true;
  return isHostError(error, 'SIGN_IN_FAILED') && error.category !== undefined;
}

function challengeValues({ headers }: AuthReply): readonly string[] {
  const value = headers['www-authenticate'];
  return value === undefined ? [] : [value].flat();
}

function httpOrigin(url: URL): string {
  return new URL(url.href.replace(/^ws/, 'http')).origin;
}
