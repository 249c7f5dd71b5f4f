import type { McplRevision } from '../../../model/mcpl.ts';
import { mcpl04 } from './0.4.ts';

export const mcpl05: McplRevision = {
  version: '0.5',
  traits: {
    ...mcpl04.traits,
    emptyObjectAnnounces: false,
    afterInference: false,
    policy: 'request',
    scopes: 'none',
    separateInferenceUses: true,
    closedUses: new Set([
      'pushEvents',
      'tools',
      'modelInfo',
      'inferenceRequest',
      'inferenceRequest.streaming',
      'inferenceLifecycle',
      'contextHooks.beforeInference.observe',
      ...['system', 'beforeUser', 'afterUser'].map((position) => `contextHooks.beforeInference.inject.${position}`),
      ...['register', 'lifecycle', 'publish', 'incoming', 'streaming', 'acknowledge', 'typing'].map(
        (part) => `channels.${part}`,
      ),
    ]),
    undeclaredUse: 'capabilityDenied',
  },
};
