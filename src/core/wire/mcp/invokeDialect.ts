import { revision } from '../revision.ts';
import { rev20241105 } from './2024-11-05.ts';

/**
 * The short dialect under standard method names, after translation by the adapter. It has tools and resource names, and
 * no requests from the server.
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
    // Answered by the adapter, because the dialect has no ping.
    ping: { direction: 'toServer', kind: 'request' },
    'notifications/cancelled': { direction: 'toServer', kind: 'notification' },
    'notifications/progress': { direction: 'toClient', kind: 'notification' },
  },
});
