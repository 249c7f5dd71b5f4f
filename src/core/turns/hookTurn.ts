import { cleanLine } from '../base/cleanText.ts';
import { clip } from '../base/json.ts';
import { type AuditOutcome, type AuditRecord, auditRecord } from '../model/audit.ts';
import type { FeatureSet, Capability } from '../model/mcpl.ts';
import type { Clock } from '../ports.ts';
import type { HookTurn } from '../wire/mcpl/hooks.ts';
import type { Participant } from '../mcpl/participant.ts';

type HookUse = Extract<Capability, `contextHooks.${string}`>;

type Authority =
  | { readonly kind: 'allowed'; readonly featureSet: string | undefined }
  | { readonly kind: 'refused'; readonly why: string };

export interface HookReport {
  readonly operation: 'context/beforeInference' | 'context/afterInference';
  readonly featureSet?: string | undefined;
  readonly outcome: AuditOutcome;
  readonly durationMs: number;
  readonly detail?: string | undefined;
}

const MAX_DETAIL = 500;
const USES = {
  'context/beforeInference': 'contextHooks.beforeInference',
  'context/afterInference': 'contextHooks.afterInference',
} as const;

/** Checks the sets first: a stopped server has none, and its other members are unavailable. */
export function hasHook(member: Participant, use: HookUse): boolean {
  if (member.setsFor(use).length === 0) return false;
  const { before, after } = member.dialect;
  return use === 'contextHooks.beforeInference' ? before : after !== 'none';
}

/** The turn without the parts that this server must not see. */
export function turnFor(member: Participant, turn: HookTurn): HookTurn {
  return member.settings.hooks.readUserMessage ? turn : { ...turn, userMessage: null };
}

/**
 * Whether an answer counts, judged on arrival: an enabled set of the server must use the hook. The set that the answer
 * names (MCPL §6.5) is a claim, which can only remove authority.
 */
export function authorityOf(member: Participant, use: HookUse, named: string | undefined): Authority {
  const sets = member.setsFor(use);
  if (sets.length === 0) return { kind: 'refused', why: 'no feature set of it with this hook is on any more' };
  if (named === undefined) return { kind: 'allowed', featureSet: onlySet(sets) };
  if (sets.some(({ name }) => name === named)) return { kind: 'allowed', featureSet: named };
  return {
    kind: 'refused',
    why: `it names the feature set "${cleanLine(member.redact(named), 100)}", which has no part in this hook`,
  };
}

function onlySet(sets: readonly FeatureSet[]): string | undefined {
  return sets.length === 1 ? sets[0]?.name : undefined;
}

/** If the answer names no set, records the set that the server was asked for, provided there is only one. */
export function hookRecord(clock: Clock, member: Participant, turn: HookTurn, report: HookReport): AuditRecord {
  const { operation, outcome, durationMs, detail } = report;
  const featureSet = report.featureSet ?? onlySet(member.setsFor(USES[operation]));
  return auditRecord({
    at: clock.now(),
    server: member.server,
    operation,
    featureSet,
    inferenceId: turn.inferenceId,
    outcome,
    durationMs,
    detail: detail === undefined ? undefined : clip(member.redact(detail), MAX_DETAIL),
  });
}
