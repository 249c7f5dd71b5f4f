import type { McplRevision } from '../../../model/mcpl.ts';

export const mcpl02: McplRevision = {
  version: '0.2',
  traits: {
    emptyObjectAnnounces: true,
    afterInference: true,
    policy: 'notification',
    scopes: 'handshake',
    blocks: '0.2',
    toolsUse: false,
    separateInferenceUses: false,
    closedUses: undefined,
    undeclaredUse: 'notEnabled',
    stateByResponse: false,
  },
};
