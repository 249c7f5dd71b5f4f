import { revision } from '../revision.ts';
import { rev20250326 } from './2025-03-26.ts';

export const rev20250618 = revision(rev20250326, {
  version: '2025-06-18',
  adds: { 'elicitation/create': { direction: 'toClient', kind: 'request' } },
  traits: {
    batching: false,
    structuredContent: 'object',
    protocolHeader: true,
    elicitation: 'form',
    completionContext: true,
  },
});
