import { cleanLine } from '../base/cleanText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { RPC, WireError } from '../base/errors.ts';

/** Maximum characters of a client's error message. */
const MAX_REASON = 500;

export type RequestId = string | number;

/** A decoded message from a client. Every JSON value decodes to one of these. */
export type Inbound =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  /** Answers nothing if it has no valid id or no result. */
  | {
      readonly kind: 'response';
      readonly id: RequestId | undefined;
      readonly result: JsonObject | undefined;
      readonly error: WireError | undefined;
    }
  | { readonly kind: 'invalid'; readonly answer: JsonObject };

export function decodeInbound(value: Json): Inbound {
  if (!isJsonObject(value)) return invalid(null, RPC.invalidRequest, 'A message is a JSON object.');
  const { id, method, params } = value;
  if (typeof method !== 'string') {
    // An answer to an unknown request is no error.
    if ('result' in value || 'error' in value) return decodeResponse(value);
    return invalid(isRequestId(id) ? id : null, RPC.invalidRequest, 'A message has a `method`.');
  }
  const named = isJsonObject(params) ? params : {};
  if (id === undefined) return { kind: 'notification', method, params: named };
  if (!isRequestId(id)) return invalid(null, RPC.invalidRequest, 'The `id` of a request is a string or a number.');
  if (params !== undefined && params !== null && !isJsonObject(params))
    return invalid(id, RPC.invalidParams, 'The `params` of a request are a JSON object.');
  return { kind: 'request', id, method, params: named };
}

function decodeResponse({ id, result, error }: JsonObject): Inbound {
  return {
    kind: 'response',
    id: isRequestId(id) ? id : undefined,
    result: error === undefined && isJsonObject(result) ? result : undefined,
    error: error === undefined ? undefined : decodeError(error),
  };
}

function decodeError(error: Json): WireError {
  const { code, message } = isJsonObject(error) ? error : {};
  return new WireError(
    typeof code === 'number' ? code : RPC.internalError,
    cleanLine(typeof message === 'string' ? message : 'The client gave no reason.', MAX_REASON),
  );
}

/** JSON numbers may be infinite (`1e999`), and would then be sent back as `null`. */
export function isRequestId(value: Json | undefined): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function invalid(id: RequestId | null, code: number, message: string): Inbound {
  return { kind: 'invalid', answer: errorMessage(id, code, message) };
}

export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

export function requestMessage(id: RequestId, method: string, params: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, method, params };
}

export function errorMessage(id: RequestId | null, code: number, message: string, data?: Json): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

export function notificationMessage(method: string, params?: JsonObject): JsonObject {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params };
}

/** Facts about a body that an HTTP adapter needs before it answers. */
export interface BodyOutline {
  /** Its messages, in order. */
  readonly messages: readonly Json[];
  readonly isBatch: boolean;
  /** Whether it opens a session. Never true for a batch (MCP 2025-03-26, "Lifecycle"). */
  readonly initializes: boolean;
  /** Whether a message needs an answer. */
  readonly wantsAnswer: boolean;
  /** Whether an answer may be slow and preceded by progress. */
  readonly wantsStream: boolean;
  readonly asksForUnknownMethod: boolean;
}

/** Methods that may be slow. */
const STREAMED: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];
const METHODS: readonly string[] = [
  ...STREAMED,
  'initialize',
  'ping',
  'logging/setLevel',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
];

export function outlineBody(body: Json): BodyOutline {
  const isBatch = isJsonArray(body);
  // An empty batch is one invalid message (JSON-RPC 2.0 §6).
  const messages = isBatch && body.length > 0 ? body : [body];
  const decoded = messages.map(decodeInbound);
  const methods = decoded.flatMap((message) => (message.kind === 'request' ? [message.method] : []));
  return {
    messages,
    isBatch: isBatch && body.length > 0,
    initializes: !isBatch && methods[0] === 'initialize',
    wantsAnswer: decoded.some((message) => message.kind === 'request' || message.kind === 'invalid'),
    wantsStream: methods.some((method) => STREAMED.includes(method)),
    asksForUnknownMethod: methods.some((method) => !METHODS.includes(method)),
  };
}
