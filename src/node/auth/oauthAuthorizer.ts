import {
  authChallenge,
  type AuthChallenge,
  challengeFailure,
  type ChallengePlan,
  type HeldToken,
  type HostError,
  isExpired,
  isHostError,
  planChallenge,
  type TokenRecord,
} from '../../core/index.ts';
import type { Authorizer, AuthorizedRequest, AuthReply } from '../http/authorizer.ts';
import type { HttpHeaders } from '../http/httpRequest.ts';
import { accountKey, acquireToken, isRefusal, mayUse, type TokenNeed, type TokenSubject } from './acquisition.ts';
import { ProofKey } from './proofKey.ts';
import { refresh } from './renewal.ts';
import type { OnWaiting, SharedWork } from './sharedWork.ts';
import type { SignInTools } from './signInRequest.ts';

/** Tools that all authorizers share. */
export interface AuthorizerTools extends SignInTools {
  /** Prevents two connections to one server from opening two browsers or using a refresh token twice. */
  readonly renewals: SharedWork<TokenRecord>;
}

interface AuthorizerOptions extends Omit<TokenSubject, 'key'> {
  /** The settings contain an `Authorization` header. */
  readonly hasStaticHeader: boolean;
}

/** Some transports report the credentials of a request, so that a late rejection of old ones has no effect. */
type Reply = AuthReply & { readonly authorization?: string | undefined };
/** Proofs are bound to the message body if it is known. */
type Request = AuthorizedRequest & { readonly body?: string | undefined };

/** Credentials for one connection, from the shared tokens. */
export class OAuthAuthorizer implements Authorizer {
  readonly #tools: AuthorizerTools;
  readonly #subject: TokenSubject;
  readonly #hasStaticHeader: boolean;
  readonly #ended = new AbortController();
  #proof: { readonly exported: string; readonly key: Promise<ProofKey> } | undefined;
  /** Set after the user or an authorization server refused. This connection does not retry. */
  #refusal: HostError | undefined;
  #renewals = 0;
  #repeats = 0;

  constructor(tools: AuthorizerTools, { hasStaticHeader, ...subject }: AuthorizerOptions) {
    this.#tools = tools;
    this.#hasStaticHeader = hasStaticHeader;
    this.#subject = { ...subject, key: accountKey(subject.server, subject.settings) };
  }

  async headersFor(request: Request, signal: AbortSignal): Promise<HttpHeaders> {
    const { url, method, body } = request;
    if (this.#isIdle() || !this.#isOwn(url)) return {};
    const token = await this.#usableToken(signal);
    if (token === undefined) return {};
    if (token.proofKey === undefined) return { authorization: `Bearer ${token.accessToken}` };
    const key = await this.#proofKey(token.proofKey);
    const proof = await key.prove({ method, url, accessToken: token.accessToken, body });
    return { authorization: `DPoP ${token.accessToken}`, dpop: proof };
  }

  replied({ status, url, headers }: AuthReply): void {
    if (!this.#isOwn(url)) return;
    const nonce = headers['dpop-nonce'];
    if (nonce !== undefined) void this.#proof?.key.then((key) => key.takeNonce(url, nonce)).catch(() => undefined);
    if (status === 401 || status === 403) return;
    this.#renewals = 0;
    this.#repeats = 0;
  }

  async challenged(reply: Reply, signal: AbortSignal): Promise<boolean> {
    // Only replies of the server itself may start a sign-in.
    if (!this.#isOwn(reply.url)) return false;
    const challenge = authChallenge(challengeValues(reply));
    const stored = this.#isIdle() ? undefined : await this.#tools.store.find(this.#subject.key);
    const held = this.#heldToken(stored?.token, reply);
    const plan = this.#plan(reply.status, challenge, held);
    switch (plan.kind) {
      case 'tell':
        return false;
      case 'fail':
        throw challengeFailure(plan.why, challenge?.scopes ?? []);
      case 'repeat':
        this.#repeats++;
        return true;
      case 'renew': {
        const { refresh: mayRefresh, scopes } = plan;
        const stale = stored?.token.accessToken;
        await this.#renew(
          { challenge, stale, held, isStepUp: reply.status === 403, refresh: mayRefresh, scopes },
          signal,
        );
        return true;
      }
    }
  }

  dispose(): void {
    this.#ended.abort();
  }

  #isIdle(): boolean {
    return this.#hasStaticHeader || this.#subject.settings.flow === 'off';
  }

  #isOwn(url: URL): boolean {
    return new URL(url.href.replace(/^ws/, 'http')).origin === this.#subject.server.origin;
  }

  /** The token that requests carry now. */
  #heldToken(token: TokenRecord | undefined, { authorization }: Reply): HeldToken | undefined {
    const now = this.#tools.clock.now();
    if (token === undefined || !mayUse(this.#subject, token) || isExpired(token, now)) return undefined;
    const isSent = authorization?.endsWith(` ${token.accessToken}`);
    const wasSent = isSent === undefined ? 'unknown' : isSent ? 'yes' : 'no';
    return { wasSent, age: now - token.issuedAt, requested: token.requested };
  }

  #plan(status: number, challenge: AuthChallenge | undefined, token: HeldToken | undefined): ChallengePlan {
    const { settings, context } = this.#subject;
    const plan = planChallenge({
      status,
      challenge,
      flow: settings.flow,
      hasStaticHeader: this.#hasStaticHeader,
      token,
      renewals: this.#renewals,
      repeats: this.#repeats,
    });
    context.log.log('debug', `Sign-in: HTTP ${status}, ${challenge?.error ?? 'no error named'}: ${plan.kind}.`);
    return plan;
  }

  async #usableToken(signal: AbortSignal): Promise<TokenRecord | undefined> {
    const stored = await this.#tools.store.find(this.#subject.key);
    if (stored === undefined || !mayUse(this.#subject, stored.token)) return undefined;
    if (!isExpired(stored.token, this.#tools.clock.now())) return stored.token;
    if (stored.token.refreshToken === undefined) return undefined;
    try {
      const { settings } = this.#subject;
      return await this.#share('refresh', signal, (shared) => refresh(this.#tools, stored, settings, shared));
    } catch (error) {
      // Without a token, the server sends a new challenge, which starts over.
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  async #proofKey(exported: string): Promise<ProofKey> {
    if (this.#proof?.exported !== exported) this.#proof = { exported, key: ProofKey.import(exported) };
    return this.#proof.key;
  }

  async #renew(need: TokenNeed, signal: AbortSignal): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    const acquire = (shared: AbortSignal, onWaiting: OnWaiting): Promise<TokenRecord> =>
      acquireToken(this.#tools, { ...this.#subject, onWaiting }, need, shared);
    try {
      const token = await this.#share('renew', signal, acquire);
      // The shared work may have been for another server, so this one still needs consent.
      if (!mayUse(this.#subject, token)) await this.#share('renew', signal, acquire);
    } catch (error) {
      if (isRefusal(error)) this.#refusal = error;
      if (isHostError(error)) this.#subject.context.log.log('info', `Sign-in: ${error.message}`);
      throw error;
    }
    this.#renewals++;
    this.#repeats = 0;
  }

  #share(
    kind: string,
    signal: AbortSignal,
    work: (signal: AbortSignal, onWaiting: OnWaiting) => Promise<TokenRecord>,
  ): Promise<TokenRecord> {
    const { server, variant } = this.#subject.key;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    return this.#tools.renewals.run(JSON.stringify([kind, server, variant]), either, work, this.#subject.onWaiting);
  }
}

function challengeValues({ headers }: AuthReply): readonly string[] {
  const value = headers['www-authenticate'];
  return value === undefined ? [] : [value].flat();
}
