import {
  CancellationToken,
  createMessageConnection,
  Event,
  type Message,
  type MessageConnection,
  type NotificationMessage,
  ParameterStructures,
  RAL,
  type RequestMessage,
} from 'vscode-jsonrpc';
import { WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { RpcId } from './messages.ts';

/** The outcome of a request that its sender cancelled: MCP wants no answer then, where the engine always gives one. */
export const SUPPRESSED = Object.freeze({ suppressed: true });

export type Outcome = Json | WireError | typeof SUPPRESSED;

export interface EnginePorts {
  send(message: JsonObject): void;
  handle(id: RpcId, method: string, params: JsonObject): Outcome | Promise<Outcome>;
}

/** One promise for every write: the transport queues, so there is nothing to wait for. */
const WRITTEN = Promise.resolve();
const NOTHING = { dispose: () => undefined };

/**
 * vscode-jsonrpc as MCP can use it: it runs the handler of each inbound request, answers it exactly once, and writes
 * notifications. The only file that knows the library. Requests of ours are the peer's own: the library keeps each in
 * a map of few entries that come and go, where they outlive the young generation, and makes four promises for it; in
 * the bench that was two thirds of what a call costs (2.9 instead of 8 µs with 64 in flight).
 *
 * Messages go to its dispatcher directly. The library would queue each and wait for a turn of the event loop before
 * the next (so that a queued request can still be cancelled), which halves throughput, and drops requests whose ids
 * differ in type only. The dispatcher is what its `messageStrategy` hands out; it is fetched once, with a message that
 * goes no further.
 */
export class Engine {
  readonly #ports: EnginePorts;
  readonly #connection: MessageConnection;
  readonly #dispatch: (message: Message) => unknown;
  #isOpen = false;
  #inboundId: RpcId = 0;
  #inboundMethod = '';
  #inboundParams: JsonObject = {};

  constructor(ports: EnginePorts) {
    this.#ports = ports;
    let dispatch: ((message: Message) => unknown) | undefined;
    let read: ((message: Message) => void) | undefined;
    const reader = {
      onError: Event.None,
      onClose: Event.None,
      onPartialMessage: Event.None,
      listen: (callback: (message: Message) => void) => {
        read = callback;
        return NOTHING;
      },
      dispose: () => undefined,
    };
    const writer = {
      onError: Event.None,
      onClose: Event.None,
      write: (message: Message) => this.#write(message),
      end: () => undefined,
      dispose: () => undefined,
    };
    this.#connection = createMessageConnection(reader, writer, undefined, {
      messageStrategy: {
        handleMessage: (message, next) => {
          if (dispatch === undefined) dispatch = next;
          else void next(message);
        },
      },
      cancellationStrategy: CANCELLATION,
    });
    this.#connection.onRequest(() => this.#handle());
    this.#connection.listen();
    withSynchronousDispatch(() => {
      const first: NotificationMessage = { jsonrpc: '2.0', method: 'first' };
      read?.(first);
    });
    if (dispatch === undefined) throw new Error('The JSON-RPC engine has no dispatcher.');
    this.#dispatch = dispatch;
    this.#isOpen = true;
  }

  notify(method: string, params: JsonObject): void {
    // A failed write is the transport's to report.
    this.#connection.sendNotification(method, ParameterStructures.byName, params).catch(() => undefined);
  }

  dispatchRequest(id: RpcId, method: string, params: JsonObject): void {
    const message: RequestMessage = { jsonrpc: '2.0', id, method, params };
    // The handler is called within `#dispatch`, and the engine would not tell it the id.
    this.#inboundId = id;
    this.#inboundMethod = method;
    this.#inboundParams = params;
    this.#dispatch(message);
  }

  dispose(): void {
    this.#isOpen = false;
    this.#connection.dispose();
  }

  #handle(): Outcome | Promise<Outcome> {
    return this.#ports.handle(this.#inboundId, this.#inboundMethod, this.#inboundParams);
  }

  #write(message: Message): Promise<void> {
    if (!this.#isOpen || !isEnvelope(message)) return WRITTEN;
    const { id, result } = message;
    // An error is written here rather than by the engine: to hand it one costs a promise more for every answer.
    if (result instanceof WireError) this.#ports.send(errorAnswer(id, result));
    else if (result !== SUPPRESSED) this.#ports.send(message);
    return WRITTEN;
  }
}

function errorAnswer(id: Json | undefined, { code, message, data }: WireError): JsonObject {
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}

/** What the engine writes is an envelope of its own around JSON that it was given. */
function isEnvelope(message: Message): message is Message & JsonObject {
  return message.jsonrpc === '2.0';
}

/** Cancellation is `Peer`'s; without this the engine would make a token source for each inbound request. */
const NEVER_CANCELLED = { token: CancellationToken.None, cancel: () => undefined, dispose: () => undefined };
const CANCELLATION = {
  receiver: { createCancellationTokenSource: () => NEVER_CANCELLED },
  sender: { sendCancellation: () => WRITTEN, cleanup: () => undefined },
};

/**
 * Runs something while the library's timers call back at once. What was installed before is there again afterwards:
 * the runtime is shared by all users of the library in this process.
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
  throw new Error('The JSON-RPC engine asked for a part of the runtime that it is not given.');
}

/** The library insists on a runtime even where nothing of it is used. */
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
