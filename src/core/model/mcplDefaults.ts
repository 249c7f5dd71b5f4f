import type { McplSettings } from './mcpl.ts';

/**
 * Defaults for entries without MCPL settings: no set is on, and sets that are switched on later get ordinary limits.
 */
export const DEFAULT_MCPL: McplSettings = {
  featureSets: { enabled: [], disabled: [] },
  toolFeatureSets: {},
  hooks: {
    order: 0,
    readUserMessage: true,
    positions: ['beforeUser', 'afterUser'],
    afterInference: 'failOpen',
    beforeTimeoutMs: 5_000,
    afterTimeoutMs: 10_000,
  },
  push: {},
  inference: { model: undefined, requestsPerHour: 30, tokensPerDay: 200_000 },
  scopes: { lists: {}, adapters: {} },
};
