import { DEFAULT_LIMITS, type HostLimits, LEAST_LIMITS, MOST_LIMITS } from '../core/index.ts';
import { SETTINGS } from './ids.ts';

/** A settings file may say anything: what is no number in range is brought there, and anything else is the default. */
export function hostLimits(read: (setting: string) => unknown): HostLimits {
  const count = (setting: string, key: keyof typeof MOST_LIMITS): number => {
    const value = read(setting);
    if (typeof value !== 'number' || !Number.isFinite(value)) return DEFAULT_LIMITS[key];
    return Math.min(Math.max(Math.floor(value), LEAST_LIMITS[key]), MOST_LIMITS[key]);
  };
  const model = read(SETTINGS.inferenceModel);
  return {
    pushPerMinute: count(SETTINGS.pushMaxPerMinute, 'pushPerMinute'),
    maxEvents: count(SETTINGS.eventsMaxCount, 'maxEvents'),
    auditDays: count(SETTINGS.auditRetentionDays, 'auditDays'),
    model: typeof model === 'string' && model.trim() !== '' ? model.trim() : DEFAULT_LIMITS.model,
    approvalSeconds: count(SETTINGS.approvalsTimeoutSeconds, 'approvalSeconds'),
    asksInChat: read(SETTINGS.approvalsInChat) === true,
    maxCheckpoints: count(SETTINGS.stateMaxCount, 'maxCheckpoints'),
    stateDays: count(SETTINGS.stateMaxAgeDays, 'stateDays'),
    stateMegabytes: count(SETTINGS.stateMaxMegabytes, 'stateMegabytes'),
  };
}
