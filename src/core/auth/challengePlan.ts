import type { AuthFlow } from '../model/auth.ts';
import type { AuthChallenge } from './challenge.ts';
import { includesAll } from './scopes.ts';

/** What is known when a server turns a request away. */
export interface ChallengeSituation {
  readonly status: number;
  readonly challenge: AuthChallenge | undefined;
  readonly flow: AuthFlow;
  /** The settings give an `Authorization` header of their own. */
  readonly hasStaticHeader: boolean;
  readonly token: HeldToken | undefined;
  /** Renewals since the server last took a token. */
  readonly renewals: number;
  /** Requests sent again without a renewal, since the last one. */
  readonly repeats: number;
}

export interface HeldToken {
  /** Whether the request that was turned away carried it: others may have been on their way while it came. */
  readonly wasSent: 'yes' | 'no' | 'unknown';
  /** Milliseconds since it came. */
  readonly age: number;
  readonly requested: readonly string[];
}

export type ChallengePlan =
  /** Simply tell the failure. */
  | { readonly kind: 'tell' }
  /** Send the request again: something is there now that it did not have. */
  | { readonly kind: 'repeat' }
  /** Get a token; `refresh` says whether the one at hand may still be renewed quietly. */
  | { readonly kind: 'renew'; readonly refresh: boolean; readonly scopes: readonly string[] | undefined }
  | { readonly kind: 'fail'; readonly why: ChallengeFailure };

export type ChallengeFailure = 'staticHeader' | 'switchedOff' | 'refusedScopes' | 'refusedToken' | 'tooOften';

/** Renewals in a row, the server having taken no token in between. */
const MAX_RENEWALS = 3;
const MAX_REPEATS = 8;
/** Repeats in the hope that the request had been on its way before the token came. */
const MAX_GUESSES = 2;
/** A token this young is not asked for again: whoever refused it will refuse the next one too. */
const YOUNG_MS = 10_000;

/** Decides what follows from a 401, or from a 403 with a challenge. Always ends: each way on is counted. */
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
  // Asked for and not given, or given and still not enough: asking again will not help.
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
 * Whether a token that was refused is not worth replacing by one of the same issuer. Known only after looking who the
 * issuer is now.
 */
export function isHopeless(token: HeldToken | undefined): boolean {
  return token !== undefined && token.wasSent !== 'no' && token.age < YOUNG_MS;
}

function fail(why: ChallengeFailure): ChallengePlan {
  return { kind: 'fail', why };
}
