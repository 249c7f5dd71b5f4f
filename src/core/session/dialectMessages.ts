import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { RemoteFailure } from '../rpc/messages.ts';
import { dialectInitializeParams } from './dialectDetection.ts';
import {
  resourceName,
  resourceUri,
  standardInitialize,
  standardResources,
  standardTool,
  standardTools,
  standardToolResult,
  toolFailure,
} from './dialectResults.ts';

/** A message without its envelope. Absent params stay absent. */
export interface Spoken {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

type SpokenRequest =
  | { readonly kind: 'send'; readonly spoken: Spoken }
  /** The dialect does not need this request. */
  | { readonly kind: 'answered'; readonly result: JsonObject };

export type Answer =
  { readonly kind: 'result'; readonly result: Json } | { readonly kind: 'error'; readonly error: RemoteFailure };

/** Translates a standard request to the dialect. Unknown ones pass unchanged. */
export function dialectRequest(method: string, params: JsonObject): SpokenRequest {
  switch (method) {
    case 'initialize':
      return send(method, dialectInitializeParams());
    case 'tools/list':
    case 'resources/list':
      return send(method);
    case 'tools/call':
      return send('tools/invoke', { name: params['name'], arguments: params['arguments'] ?? {} });
    case 'resources/read': {
      const { uri } = params;
      return send(method, { ...params, ...(typeof uri === 'string' ? { uri: resourceName(uri) } : {}) });
    }
    case 'resources/templates/list':
      return { kind: 'answered', result: { resourceTemplates: [] } };
    case 'ping':
      return { kind: 'answered', result: {} };
    default:
      return send(method, params);
  }
}

/** Translates a notification. `undefined` if the dialect has none. A cancellation also needs the request. */
export function dialectNotification(method: string, params: JsonObject): Spoken | undefined {
  if (method === 'notifications/initialized') return { method: 'initialized', params: {} };
  if (method === 'notifications/cancelled') return { method: 'cancel', params: { id: params['requestId'] } };
  return method.startsWith('notifications/') ? undefined : { method, params };
}

/** Translates the answer to a standard request. */
export function standardAnswer(method: string, answer: Answer): Answer {
  if (answer.kind === 'result') return { kind: 'result', result: standardResult(method, answer.result) };
  const failure = method === 'tools/call' ? toolFailure(answer.error) : undefined;
  return failure === undefined ? answer : { kind: 'result', result: failure };
}

function standardResult(method: string, result: Json): Json {
  switch (method) {
    case 'initialize':
      return standardInitialize(result);
    case 'tools/list':
      return standardTools(result);
    case 'resources/list':
      return standardResources(result);
    case 'tools/call':
      return standardToolResult(result);
    default:
      return result ?? {};
  }
}

/** Translates the server's notifications. `tokenOf` returns the progress token for a request id. */
export function standardNotifications(
  method: string,
  params: Json | undefined,
  tokenOf: (id: Json | undefined) => Json | undefined,
): readonly Spoken[] {
  const named = isJsonObject(params) ? params : {};
  switch (method) {
    case 'progress':
      return progress(named, tokenOf(named['id']));
    case 'tools/changed':
      // Added tools may lack their schema. The list is read again, and the change is applied if that fails.
      return [{ method: 'notifications/tools/list_changed', params: toolChange(named) }];
    case 'resources/changed':
      return [{ method: 'notifications/resources/list_changed', params: {} }, ...updates(named['updated'])];
    default:
      return [{ method, params: isJsonObject(params) || params === undefined ? params : {} }];
  }
}

function toolChange({ added, removed }: JsonObject): JsonObject {
  return {
    ...(isJsonArray(added) ? { added: added.map(standardTool) } : {}),
    ...(isJsonArray(removed) ? { removed } : {}),
  };
}

function progress({ percent, message }: JsonObject, progressToken: Json | undefined): readonly Spoken[] {
  if (progressToken === undefined) return [];
  const amount = percent === undefined ? { progress: 0 } : { progress: percent, total: 100 };
  const words = typeof message === 'string' ? { message } : {};
  return [{ method: 'notifications/progress', params: { progressToken, ...amount, ...words } }];
}

function updates(updated: Json | undefined): readonly Spoken[] {
  const entries = isJsonArray(updated) ? updated : [];
  return entries.flatMap((entry) => {
    const { uri, name } = isJsonObject(entry) ? entry : { uri: undefined, name: entry };
    const found = typeof uri === 'string' ? uri : typeof name === 'string' ? resourceUri(name) : undefined;
    return found === undefined ? [] : [{ method: 'notifications/resources/updated', params: { uri: found } }];
  });
}

function send(method: string, params?: JsonObject): SpokenRequest {
  return { kind: 'send', spoken: { method, params } };
}
