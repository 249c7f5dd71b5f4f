import {
  CancellationToken as NoCancellation,
  createMessageConnection,
  Event,
  type Message,
  type NotificationMessage,
  RAL,
  type RequestMessage,
} from 'vscode-jsonrpc';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import { messageOf, RPC, WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { RemoteFailure, RpcId } from './messages.ts';

export interface InboundContext {
  readonly requestId: RpcId;
  readonly token: CancellationToken;
  /** The handler has stored the outcome: the request is answered with it even if the server is stopped now. */
  commit?(): void;
}

interface InboundPorts {
  /** Answers a request. Throw a `WireError` to answer with an error. */
  handle(method: string, params: JsonObject, context: InboundContext): Promise<Json> | Json;
  send(answer: JsonObject): void;
  /** An unexpected error of a handler. */
  onError(message: string): void;
}

const MAX_IN_FLIGHT = 1_000;
const BUSY = -32000;

/**
 * The requests of the other side, from their arrival to their answer. Only this file uses vscode-jsonrpc.
 *
 *     receive -> [vscode-jsonrpc: dispatch] -> #handle -> [vscode-jsonrpc: one answer] -> #answer -> send
 *
 * The library runs the handler of each request and answers it exactly once, and nothing else. `Peer` sends the host's
 * requests itself: the library makes four promises for each, and keeps it in a map with many short-lived entries.
 * A call then took 8 instead of 2.9 µs with 64 in flight.
 */
export class InboundRequests {
  readonly #ports: InboundPorts;
  readonly #library: JsonRpcLibrary;
  /**
   * In no order. Not a `Map`: it replaces its table again and again, and each table refers to the next. Once one is in
   * the old generation, all later requests stay in memory until a full collection: 305 instead of 227 MB in a flood.
   */
  readonly #open: InboundRequest[] = [];
  #isDisposed = false;

  constructor(ports: InboundPorts) {
    this.#ports = ports;
    this.#library = connectLibrary(
      (request) => this.#handle(request),
      (request) => this.#answer(request),
    );
  }

  get isWaiting(): boolean {
    return this.#open.length > 0;
  }

  receive(id: RpcId, method: string, params: JsonObject): void {
    if (this.#open.length < MAX_IN_FLIGHT) this.#library.dispatch(new InboundRequest(id, method, params));
    else this.refuse(id, { code: BUSY, message: `Busy: ${MAX_IN_FLIGHT} requests are unanswered.` });
  }

  refuse(id: RpcId, { code, message }: RemoteFailure): void {
    this.#ports.send({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Answers all open requests with this error and cancels them, except those whose handler has committed. */
  refuseOpen(error: RemoteFailure): void {
    for (const request of [...this.#open]) {
      if (request.isCommitted || request.isCancelled) continue;
      this.refuse(request.requestId, error);
      request.cancel(error.message);
    }
  }

  cancel(id: RpcId, reason: string | undefined): void {
    for (const request of this.#open) if (request.requestId === id) request.cancel(reason);
  }

  /** Cancels all handlers. Their answers are dropped. */
  dispose(): void {
    this.#isDisposed = true;
    for (const request of [...this.#open]) request.cancel('The connection is closed.');
    this.#library.dispose();
  }

  #handle(request: InboundRequest): InboundRequest | Promise<InboundRequest> {
    request.position = this.#open.push(request) - 1;
    try {
      const result = this.#ports.handle(request.method, request.params, request);
      if (!(result instanceof Promise)) return this.#handled(request, result);
      return result.then(
        (value) => this.#handled(request, value),
        (error: unknown) => this.#handled(request, this.#failure(request, error)),
      );
    } catch (error) {
      return this.#handled(request, this.#failure(request, error));
    }
  }

  #handled(request: InboundRequest, outcome: Json | WireError | undefined): InboundRequest {
    this.#remove(request);
    request.outcome = outcome ?? {};
    return request;
  }

  #remove({ position }: InboundRequest): void {
    const last = this.#open.pop();
    if (last === undefined || last.position === position) return;
    this.#open[position] = last;
    last.position = position;
  }

  #failure({ method, isCancelled }: InboundRequest, error: unknown): WireError {
    if (error instanceof WireError) return error;
    // The text of an unexpected error may contain file names or secrets: it is for our log, not for the server.
    if (!isCancelled) this.#ports.onError(`Handling ${method} failed: ${messageOf(error)}`);
    return new WireError(RPC.internalError, 'Internal error');
  }

  /** MCP wants no answer to a cancelled request. */
  #answer({ requestId: id, isCancelled, outcome }: InboundRequest): void {
    if (this.#isDisposed || isCancelled) return;
    if (outcome instanceof WireError) this.#ports.send({ jsonrpc: '2.0', id, error: errorOf(outcome) });
    else this.#ports.send({ jsonrpc: '2.0', id, result: outcome });
  }
}

function errorOf({ code, message, data }: WireError): JsonObject {
  return data === undefined ? { code, message } : { code, message, data };
}

class InboundRequest implements InboundContext {
  readonly requestId: RpcId;
  readonly method: string;
  readonly params: JsonObject;
  #source: CancellationSource | undefined;
  isCancelled = false;
  isCommitted = false;
  /** Index in the list of open requests. */
  position = 0;
  /** The result or the error of the answer. */
  outcome: Json | WireError = null;

  constructor(requestId: RpcId, method: string, params: JsonObject) {
    this.requestId = requestId;
    this.method = method;
    this.params = params;
  }

  /** Created on first access: most handlers never use it. */
  get token(): CancellationToken {
    if (this.#source === undefined) {
      this.#source = new CancellationSource();
      if (this.isCancelled) this.#source.cancel();
    }
    return this.#source.token;
  }

  commit(): void {
    this.isCommitted = true;
  }

  cancel(reason?: string): void {
    this.isCancelled = true;
    this.#source?.cancel(reason);
  }
}

interface JsonRpcLibrary {
  dispatch(request: InboundRequest): void;
  dispose(): void;
}

const NOTHING = { dispose: () => undefined };
/** A shared promise for all writes, because the transport queues them. */
const WRITTEN = Promise.resolve();

/** All messages have one id, and not that of the request: the library keeps the open ids in a `Map`; see `#open`. */
const LIBRARY_ID = 0;

/**
 * Connects vscode-jsonrpc to a handler of requests and a writer of answers. A request travels through it as the params
 * of a message, and back as the result. Messages skip the library's queue. The queue waits for a turn of the event loop
 * before each message, which halves throughput. It also drops requests whose ids differ only in type. The library hands
 * its dispatcher to `messageStrategy` with the first message, which is not processed.
 */
function connectLibrary(
  handle: (request: InboundRequest) => InboundRequest | Promise<InboundRequest>,
  answer: (request: InboundRequest) => void,
): JsonRpcLibrary {
  let dispatch: ((message: Message) => unknown) | undefined;
  let read: ((message: Message) => void) | undefined;
  const silent = { onError: Event.None, onClose: Event.None, dispose: () => undefined };
  const reader = {
    ...silent,
    onPartialMessage: Event.None,
    listen: (callback: (message: Message) => void) => {
      read = callback;
      return NOTHING;
    },
  };
  const writer = {
    ...silent,
    write: (message: Message) => {
      if ('result' in message && message.result instanceof InboundRequest) answer(message.result);
      return WRITTEN;
    },
    end: () => undefined,
  };
  const connection = createMessageConnection(reader, writer, undefined, {
    messageStrategy: {
      handleMessage: (message, next) => {
        if (dispatch === undefined) dispatch = next;
        else void next(message);
      },
    },
    cancellationStrategy: CANCELLATION,
  });
  connection.onRequest((_method, request) => {
    if (request instanceof InboundRequest) return handle(request);
    throw new Error('vscode-jsonrpc changed the params of a request.');
  });
  connection.listen();
  withSynchronousDispatch(() => {
    const first: NotificationMessage = { jsonrpc: '2.0', method: 'first' };
    read?.(first);
  });
  const dispatcher = dispatch;
  if (dispatcher === undefined) throw new Error('vscode-jsonrpc has no dispatcher.');
  return {
    dispatch: (request) => {
      const message: RequestMessage = { jsonrpc: '2.0', id: LIBRARY_ID, method: request.method, params: request };
      dispatcher(message);
    },
    dispose: () => connection.dispose(),
  };
}

/** `InboundRequests` cancels. Without this the library would make a token source for each request. */
const NEVER_CANCELLED = { token: NoCancellation.None, cancel: () => undefined, dispose: () => undefined };
const CANCELLATION = {
  receiver: { createCancellationTokenSource: () => NEVER_CANCELLED },
  sender: { sendCancellation: () => WRITTEN, cleanup: () => undefined },
};

/**
 * Runs something while the library's timers call back at once. Then restores the installed runtime, which all users of
 * the library in this process share.
 */
function withSynchronousDispatch(run: () => void): void {
  const runtime = installedRuntime() ?? MINIMAL_RUNTIME;
  const setImmediate = (callback: (...args: unknown[]) => void, ...args: unknown[]): typeof NOTHING => {
    callback(...args);
    return NOTHING;
  };
  RAL.install({ ...runtime, timer: { ...runtime.timer, setImmediate } });
  try {
    run();
  } finally {
    RAL.install(runtime);
  }
}

function installedRuntime(): RAL | undefined {
  try {
    return RAL();
  } catch {
    return undefined;
  }
}

function unavailable(): never {
  throw new Error('vscode-jsonrpc asked for a part of the runtime that it does not get.');
}

/** The library requires a runtime, even one that it does not use. */
const MINIMAL_RUNTIME: RAL = {
  crypto: { randomUUID: unavailable },
  applicationJson: {
    encoder: { name: 'application/json', encode: unavailable },
    decoder: { name: 'application/json', decode: unavailable },
  },
  messageBuffer: { create: unavailable },
  console: { info: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined },
  timer: { setTimeout: unavailable, setImmediate: unavailable, setInterval: unavailable },
};
