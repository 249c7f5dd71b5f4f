import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { type HostError, RPC, WireError } from '../base/errors.ts';
import { showHidden } from '../base/hiddenText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Progress, ToolCallRequest } from '../model/operation.ts';
import { OFFER_REQUESTS } from './offer.ts';
import { ShownNames } from './wellFormed.ts';

/** MCP "Resources", up to 2025-11-25, the newest version for clients here. */
const RESOURCE_NOT_FOUND = -32002;

/** Failures of prompts and resources become protocol errors with the next step, because no model reads them. */
export function protocolError(error: HostError): WireError {
  switch (error.code) {
    case 'REMOTE_ERROR':
      return new WireError(error.rpcCode ?? RPC.internalError, error.message, error.data);
    case 'UNKNOWN_PROMPT':
    case 'INVALID_ARGUMENTS':
      return new WireError(RPC.invalidParams, error.message, error.data);
    case 'UNKNOWN_RESOURCE':
      return new WireError(RESOURCE_NOT_FOUND, error.message, error.data);
    case 'CAPABILITY_MISSING':
    case 'NOT_IN_REVISION':
      return new WireError(RPC.methodNotFound, error.message);
    default:
      return new WireError(RPC.internalError, withNextStep(error));
  }
}

/** Message and next step in one text. */
function withNextStep({ code, message, suggestion }: HostError): string {
  const nextStep = suggestion ?? NEXT_STEPS[code];
  return nextStep === undefined ? message : `${message} ${nextStep}`;
}

const NEXT_STEPS: Partial<Record<HostError['code'], string>> = {
  SERVER_NOT_RUNNING: 'Start the server in the Servers view, then call the tool again.',
};

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
const STREAMED: readonly string[] = [
  'tools/call',
  ...[...OFFER_REQUESTS].flatMap(([method, { mayStream }]) => (mayStream ? [method] : [])),
];
const METHODS: readonly string[] = [
  ...OFFER_REQUESTS.keys(),
  'tools/call',
  'initialize',
  'ping',
  'logging/setLevel',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
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

/** Common clients time out calls after a minute of silence. */
const SIGN_MS = 10_000;
/** A power of two, so that sums are exact. */
const STEP = 2 ** -20;

/**
 * Progress notifications of one call. During an approval, they are repeated so that the client does not time out: its
 * timeout is meant for servers.
 */
export class CallProgress implements Disposable {
  readonly #token: RequestId | undefined;
  readonly #send: (message: JsonObject) => void;
  readonly #clock: Clock;
  #last: number | undefined;
  #signed = false;
  #timer: Disposable | undefined;
  #isOver = false;

  /** Without a token the client did not request progress, so nothing is sent. */
  constructor(token: RequestId | undefined, send: (message: JsonObject) => void, clock: Clock) {
    this.#token = token;
    this.#send = send;
    this.#clock = clock;
  }

  /** Reports progress from the server or the host. */
  report(progress: Progress): void {
    // Clients may ignore progress that does not increase (MCP "Progress"), so stay above the values sent in between.
    const value = this.#signed ? Math.max(progress.progress, this.#next()) : progress.progress;
    this.#tell({ ...progress, progress: value });
  }

  /** Sets whether the call waits for the user. */
  wait(waits: boolean): void {
    if (this.#token === undefined || this.#isOver || waits === (this.#timer !== undefined)) return;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (waits) this.#sign();
    // The chat shows the last message, which may still be a question that was answered elsewhere.
    else this.#tell({ progress: this.#next(), total: undefined, message: 'The approval is decided' });
  }

  dispose(): void {
    this.#isOver = true;
    this.#timer?.dispose();
  }

  #sign(): void {
    this.#signed = true;
    this.#tell({ progress: this.#next(), total: undefined, message: 'Waiting for approval' });
    this.#timer = this.#clock.delay(SIGN_MS, () => this.#sign());
  }

  /** A minimal increase, which does not suggest real progress. */
  #next(): number {
    return this.#last === undefined ? 0 : this.#last + Math.max(1, Math.abs(this.#last)) * STEP;
  }

  #tell(progress: Progress): void {
    if (this.#token === undefined || this.#isOver) return;
    this.#last = progress.progress;
    this.#send(progressMessage(this.#token, progress));
  }
}

/** The member of `_meta` with the editor's chat session. */
const CONVERSATION = 'vscode.conversationId';

export interface IncomingCall {
  readonly request: ToolCallRequest;
  readonly progressToken: RequestId | undefined;
}

/** Throws a `WireError` for invalid params. */
export function decodeCall(server: string, params: JsonObject, names: ShownNames = new ShownNames()): IncomingCall {
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || name === '') throw new WireError(RPC.invalidParams, '`name` is the name of a tool.');
  if (args !== undefined && args !== null && !isJsonObject(args))
    throw new WireError(RPC.invalidParams, '`arguments` is a JSON object.');
  const { progressToken: _, ...meta } = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const conversationId = meta[CONVERSATION];
  return {
    request: {
      server,
      tool: names.real(name),
      args: isJsonObject(args) ? args : {},
      route: 'gateway',
      conversationId: typeof conversationId === 'string' && conversationId !== '' ? conversationId : undefined,
      meta: Object.keys(meta).length > 0 ? meta : undefined,
    },
    progressToken: progressTokenOf(params),
  };
}

export function progressTokenOf({ _meta: meta }: JsonObject): RequestId | undefined {
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return isRequestId(token) ? token : undefined;
}

function progressMessage(progressToken: RequestId, { progress, total, message }: Progress): JsonObject {
  return notificationMessage('notifications/progress', {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: showHidden(message) }),
  });
}

/**
 * A failed call as a result that the model can react to. Errors of the client or inside the host become protocol
 * errors, which the user sees instead.
 */
export function failedCall(error: HostError): JsonObject {
  if (error.code === 'UNKNOWN_TOOL') throw new WireError(RPC.invalidParams, error.message);
  if (error.code === 'INTERNAL') throw new WireError(RPC.internalError, error.message);
  return { content: [{ type: 'text', text: showHidden(withNextStep(error)) }], isError: true };
}
