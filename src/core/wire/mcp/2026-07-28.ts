import { type MethodShape, revision } from '../revision.ts';
import { TASKS_EXTENSION } from '../taskMessages.ts';
import { rev20251125 } from './2025-11-25.ts';

const input: MethodShape = { direction: 'toClient', kind: 'input' };
const onTask: MethodShape = { direction: 'toServer', kind: 'request', extension: TASKS_EXTENSION };

export const rev20260728 = revision(rev20251125, {
  version: '2026-07-28',
  removes: [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
    'notifications/initialized',
    'notifications/roots/list_changed',
    'notifications/elicitation/complete',
    'notifications/tasks/status',
  ],
  adds: {
    'server/discover': { direction: 'toServer', kind: 'request' },
    'subscriptions/listen': { direction: 'toServer', kind: 'request' },
    'elicitation/create': input,
    'roots/list': input,
    'sampling/createMessage': input,
    'notifications/progress': { direction: 'toClient', kind: 'notification' },
    'notifications/subscriptions/acknowledged': { direction: 'toClient', kind: 'notification' },
    'tasks/cancel': onTask,
    'tasks/get': onTask,
    'tasks/update': onTask,
    'notifications/tasks': { direction: 'toClient', kind: 'notification', extension: TASKS_EXTENSION },
  },
  traits: {
    structuredContent: 'any',
    elicitationIds: false,
    tasks: 'extension',
    stateless: true,
    resultType: true,
    subscriptions: 'listen',
    logLevel: 'perRequest',
  },
});
