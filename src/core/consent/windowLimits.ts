import type { HostLimits } from '../model/server.ts';
import {
  type ChangeDirection,
  rulingOn,
  type Weakening,
  weakeningLine,
  type WindowKey,
} from '../model/settingRules.ts';

/** The setting behind each limit. */
export const LIMIT_KEYS = {
  pushPerMinute: 'mcpl.push.maxPerMinute',
  maxEvents: 'mcpl.events.maxCount',
  auditDays: 'mcpl.audit.retentionDays',
  model: 'mcpl.inference.model',
  approvalSeconds: 'mcpl.approvals.timeoutSeconds',
  asksInChat: 'mcpl.approvals.inChat',
  maxCheckpoints: 'mcpl.state.maxCount',
  stateDays: 'mcpl.state.maxAgeDays',
  stateMegabytes: 'mcpl.state.maxMegabytes',
} as const satisfies Readonly<Record<keyof HostLimits, WindowKey>>;

const LIMITS: readonly (keyof HostLimits)[] = [
  'pushPerMinute',
  'maxEvents',
  'auditDays',
  'model',
  'approvalSeconds',
  'asksInChat',
  'maxCheckpoints',
  'stateDays',
  'stateMegabytes',
];

/** Keeps user limits where workspace limits would weaken them without consent, or may never replace them. */
export function withOwnLimits(
  own: HostLimits | undefined,
  all: HostLimits,
  isAgreed: (line: string, key: WindowKey) => boolean,
): { readonly limits: HostLimits; readonly open: readonly Weakening[] } {
  if (own === undefined) return { limits: all, open: [] };
  const open: Weakening[] = [];
  const kept: (keyof HostLimits)[] = [];
  for (const limit of LIMITS) {
    if (own[limit] === all[limit]) continue;
    const key = LIMIT_KEYS[limit];
    const ruling = rulingOn(key, directionOf(own[limit], all[limit]), false);
    if (ruling === 'applies') continue;
    const weakening = { key, path: [], value: shown(all[limit]), instead: shown(own[limit]) };
    if (ruling === 'asks') {
      if (isAgreed(weakeningLine(weakening), key)) continue;
      open.push(weakening);
    }
    kept.push(limit);
  }
  return { limits: { ...all, ...Object.fromEntries(kept.map((limit) => [limit, own[limit]])) }, open };
}

function directionOf(
  own: HostLimits[keyof HostLimits],
  all: HostLimits[keyof HostLimits],
): ChangeDirection | 'unordered' {
  if (typeof own !== 'number' || typeof all !== 'number') return 'unordered';
  return all > own ? 'widening' : 'narrowing';
}

function shown(value: HostLimits[keyof HostLimits]): string {
  return JSON.stringify(value ?? '');
}
