import {
  DEFAULT_LIMITS,
  type HostLimits,
  MIN_LIMITS,
  LIMIT_KEYS,
  MAX_LIMITS,
  type WindowKey,
} from '../../core/index.ts';

/** Clamps numbers to their range, and replaces other values by the default. */
export function hostLimits(read: (setting: WindowKey) => unknown): HostLimits {
  const count = (key: keyof typeof MAX_LIMITS): number => {
    const value = read(LIMIT_KEYS[key]);
    if (typeof value !== 'number' || !Number.isFinite(value)) return DEFAULT_LIMITS[key];
    return Math.min(Math.max(Math.floor(value), MIN_LIMITS[key]), MAX_LIMITS[key]);
  };
  const model = read(LIMIT_KEYS.model);
  return {
    pushPerMinute: count('pushPerMinute'),
    maxEvents: count('maxEvents'),
    auditDays: count('auditDays'),
    model: typeof model === 'string' && model.trim() !== '' ? model.trim() : DEFAULT_LIMITS.model,
    approvalSeconds: count('approvalSeconds'),
    asksInChat: read(LIMIT_KEYS.asksInChat) === true,
    maxCheckpoints: count('maxCheckpoints'),
    stateDays: count('stateDays'),
    stateMegabytes: count('stateMegabytes'),
  };
}
