import type { McplSettings } from './mcpl.ts';

/** What holds where an entry says nothing of MCPL: no set is on, and what is switched on later may do the ordinary. */
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
