import { revision } from '../revision.ts';
import { rev20241105 } from './2024-11-05.ts';

/**
 * The short dialect by the standard's names, into which an adapter translates it: tools and the names of resources,
 * and nothing that a server could ask.
 */
export const invokeDialect = revision(rev20241105, {
  version: 'invoke-dialect',
  removes: [
    'completion/complete',
    'logging/setLevel',
    'prompts/get',
    'prompts/list',
    'resources/read',
    'resources/subscribe',
    'resources/templates/list',
    'resources/unsubscribe',
    'roots/list',
    'sampling/createMessage',
    'notifications/roots/list_changed',
    'notifications/message',
    'notifications/prompts/list_changed',
  ],
  adds: {
    // The adapter answers it: the dialect has no such word.
    ping: { direction: 'toServer', kind: 'request' },
    'notifications/cancelled': { direction: 'toServer', kind: 'notification' },
    'notifications/progress': { direction: 'toClient', kind: 'notification' },
  },
});
