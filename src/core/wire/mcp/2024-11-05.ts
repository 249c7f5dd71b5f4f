import { firstRevision, type MethodShape } from '../revision.ts';

const asked: MethodShape = { direction: 'toServer', kind: 'request' };
const askedByServer: MethodShape = { direction: 'toClient', kind: 'request' };
const told: MethodShape = { direction: 'toServer', kind: 'notification' };
const toldByServer: MethodShape = { direction: 'toClient', kind: 'notification' };

export const rev20241105 = firstRevision({
  version: '2024-11-05',
  adds: {
    initialize: asked,
    ping: { direction: 'both', kind: 'request' },
    'completion/complete': asked,
    'logging/setLevel': asked,
    'prompts/get': asked,
    'prompts/list': asked,
    'resources/list': asked,
    'resources/read': asked,
    'resources/subscribe': asked,
    'resources/templates/list': asked,
    'resources/unsubscribe': asked,
    'tools/call': asked,
    'tools/list': asked,
    'roots/list': askedByServer,
    'sampling/createMessage': askedByServer,
    'notifications/initialized': told,
    'notifications/roots/list_changed': told,
    'notifications/cancelled': { direction: 'both', kind: 'notification' },
    'notifications/progress': { direction: 'both', kind: 'notification' },
    'notifications/message': toldByServer,
    'notifications/prompts/list_changed': toldByServer,
    'notifications/resources/list_changed': toldByServer,
    'notifications/resources/updated': toldByServer,
    'notifications/tools/list_changed': toldByServer,
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
