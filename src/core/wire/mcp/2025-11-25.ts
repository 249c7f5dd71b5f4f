import { revision } from '../revision.ts';
import { rev20250618 } from './2025-06-18.ts';

export const rev20251125 = revision(rev20250618, {
  version: '2025-11-25',
  adds: {
    'tasks/cancel': { direction: 'both', kind: 'request' },
    'tasks/get': { direction: 'both', kind: 'request' },
    'tasks/list': { direction: 'both', kind: 'request' },
    'tasks/result': { direction: 'both', kind: 'request' },
    'notifications/elicitation/complete': { direction: 'toClient', kind: 'notification' },
    'notifications/tasks/status': { direction: 'both', kind: 'notification' },
  },
  traits: { elicitation: 'form+url', elicitationIds: true, tasks: 'core', samplingTools: true },
});
