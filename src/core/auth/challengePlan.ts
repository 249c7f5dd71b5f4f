import type { AuthFlow } from '../model/auth.ts';
import type { AuthChallenge } from './challenge.ts';
import { includesAll } from './scopes.ts';

/** The facts known when a server rejects a request. */
export interface ChallengeSituation {
  readonly status: number;
  readonly challenge: AuthChallenge | undefined;
  readonly flow: AuthFlow;
  /** The settings contain an `Authorization` header. */
  readonly hasStaticHeader: boolean;
  readonly token: HeldToken | undefined;
  /** Renewals since the server last accepted a token. */
  readonly renewals: number;
  /** Requests repeated without a renewal since the last renewal. */
  readonly repeats: number;
}

export interface HeldToken {
  /** Whether the rejected request carried the token. It may have been sent before the token arrived. */
  readonly wasSent: 'yes' | 'no' | 'unknown';
  /** Milliseconds since the token arrived. */
  readonly age: number;
  readonly requested: readonly string[];
}

export type ChallengePlan =
  /** Report the failure. */
  | { readonly kind: 'tell' }
  /** Send the request again with the credentials that are available now. */
  | { readonly kind: 'repeat' }
  /** Get a token. `refresh` says whether the current one may be refreshed without asking. */
  | { readonly kind: 'renew'; readonly refresh: boolean; readonly scopes: readonly string[] | undefined }
  | { readonly kind: 'fail'; readonly why: ChallengeFailure };

export type ChallengeFailure = 'staticHeader' | 'switchedOff' | 'refusedScopes' | 'refusedToken' | 'tooOften';

/** Renewals in a row, without an accepted token in between. */
const MAX_RENEWALS = 3;
const MAX_REPEATS = 8;
/** Repeats while it is unknown whether the request carried the token. */
const MAX_GUESSES = 2;
/** Do not replace a token this young. The server would reject the next one too. */
const YOUNG_MS = 10_000;

/** Decides how to react to a 401, or to a 403 with a challenge. All attempts are counted, so it always ends. */
export function planChallenge(situation: ChallengeSituation): ChallengePlan {
  const { status, challenge, flow, hasStaticHeader, renewals } = situation;
  if (status === 403 && challenge?.error !== 'insufficient_scope') return { kind: 'tell' };
  if (hasStaticHeader) return status === 401 ? fail('staticHeader') : { kind: 'tell' };
  if (flow === 'off') return status === 401 ? fail('switchedOff') : { kind: 'tell' };
  if (situation.repeats >= MAX_REPEATS || renewals >= MAX_RENEWALS) return fail('tooOften');
  return status === 403 ? planStepUp(situation) : planRenewal(situation);
}

/** MCP 2025-11-25, "Step-Up Authorization Flow". */
function planStepUp({ challenge, token }: ChallengeSituation): ChallengePlan {
  const wanted = challenge?.scopes ?? [];
  if (token?.wasSent === 'no') return { kind: 'repeat' };
  // These scopes were requested before. Requesting them again does not help.
  if (token !== undefined && includesAll(token.requested, wanted)) return fail('refusedScopes');
  return { kind: 'renew', refresh: false, scopes: wanted };
}

function planRenewal(situation: ChallengeSituation): ChallengePlan {
  const { challenge, token } = situation;
  if (challenge?.error === 'use_dpop_nonce') return { kind: 'repeat' };
  const scopes = challenge?.scopes;
  if (token === undefined) return { kind: 'renew', refresh: false, scopes };
  const mayBeLate = token.wasSent === 'unknown' && token.age < YOUNG_MS && situation.repeats < MAX_GUESSES;
  if (token.wasSent === 'no' || mayBeLate) return { kind: 'repeat' };
  return { kind: 'renew', refresh: token.age >= YOUNG_MS, scopes };
}

/**
 * Whether replacing a rejected token by one of the same issuer is pointless. The caller must look up the current issuer
 * first.
 */
export function isHopeless(token: HeldToken | undefined): boolean {
  return token !== undefined && token.wasSent !== 'no' && token.age < YOUNG_MS;
}

function fail(why: ChallengeFailure): ChallengePlan {
  return { kind: 'fail', why };
}
