import { DEFAULT_LIMITS, type HostLimits } from '../core/index.ts';
import { SETTINGS } from './ids.ts';

/** The settings that hold for all servers together: more memory, or more of a model, than this nobody means. */
export const MOST = { pushPerMinute: 100_000, maxEvents: 10_000, auditDays: 3_650 } as const;

/** A settings file may say anything: what is no number in range is brought there, and anything else is the default. */
export function hostLimits(read: (setting: string) => unknown): HostLimits {
  const count = (setting: string, key: keyof typeof MOST): number => {
    const value = read(setting);
    if (typeof value !== 'number' || !Number.isFinite(value)) return DEFAULT_LIMITS[key];
    return Math.min(Math.max(Math.floor(value), 1), MOST[key]);
  };
  const model = read(SETTINGS.inferenceModel);
  return {
    pushPerMinute: count(SETTINGS.pushMaxPerMinute, 'pushPerMinute'),
    maxEvents: count(SETTINGS.eventsMaxCount, 'maxEvents'),
    auditDays: count(SETTINGS.auditRetentionDays, 'auditDays'),
    model: typeof model === 'string' && model.trim() !== '' ? model.trim() : DEFAULT_LIMITS.model,
  };
}
