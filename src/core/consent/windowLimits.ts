import type { HostLimits } from '../model/server.ts';
import {
  type ChangeDirection,
  keepsOwn,
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

/** Keeps user limits where workspace limits would weaken them without consent. */
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
    if (!keepsOwn(key, directionOf(own[limit], all[limit]), false)) continue;
    const weakening = { key, path: [], value: shown(all[limit]), instead: shown(own[limit]) };
    if (isAgreed(weakeningLine(weakening), key)) continue;
    open.push(weakening);
    kept.push(limit);
  }
  return { limits: { ...all, ...Object.fromEntries(kept.map((limit) => [limit, own[limit]])) }, open };
}

/** Values without an order always count as narrowing. */
function directionOf(own: HostLimits[keyof HostLimits], all: HostLimits[keyof HostLimits]): ChangeDirection {
  return typeof own === 'number' && typeof all === 'number' && all > own ? 'widening' : 'narrowing';
}

function shown(value: HostLimits[keyof HostLimits]): string {
  return JSON.stringify(value ?? '');
}
