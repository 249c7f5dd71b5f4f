import { firstRevision, type MethodShape } from '../revision.ts';

const clientRequest: MethodShape = { direction: 'toServer', kind: 'request' };
const serverRequest: MethodShape = { direction: 'toClient', kind: 'request' };
const clientNotification: MethodShape = { direction: 'toServer', kind: 'notification' };
const serverNotification: MethodShape = { direction: 'toClient', kind: 'notification' };

export const rev20241105 = firstRevision({
  version: '2024-11-05',
  adds: {
    initialize: clientRequest,
    ping: { direction: 'both', kind: 'request' },
    'completion/complete': clientRequest,
    'logging/setLevel': clientRequest,
    'prompts/get': clientRequest,
    'prompts/list': clientRequest,
    'resources/list': clientRequest,
    'resources/read': clientRequest,
    'resources/subscribe': clientRequest,
    'resources/templates/list': clientRequest,
    'resources/unsubscribe': clientRequest,
    'tools/call': clientRequest,
    'tools/list': clientRequest,
    'roots/list': serverRequest,
    'sampling/createMessage': serverRequest,
    'notifications/initialized': clientNotification,
    'notifications/roots/list_changed': clientNotification,
    'notifications/cancelled': { direction: 'both', kind: 'notification' },
    'notifications/progress': { direction: 'both', kind: 'notification' },
    'notifications/message': serverNotification,
    'notifications/prompts/list_changed': serverNotification,
    'notifications/resources/list_changed': serverNotification,
    'notifications/resources/updated': serverNotification,
    'notifications/tools/list_changed': serverNotification,
  },
  traits: {
    batching: false,
    audio: false,
    structuredContent: 'none',
    protocolHeader: false,
    elicitation: 'none',
    elicitationIds: false,
    tasks: 'none',
    stateless: false,
    resultType: false,
    completionsCapability: false,
    completionContext: false,
    samplingTools: false,
    subscriptions: 'perResource',
    logLevel: 'setLevel',
  },
});
