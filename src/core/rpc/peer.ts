import type { CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { type Effect, HostError, messageOf, RPC } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { LogLevel } from '../base/log.ts';
import { type AnyCall, CallTable, Deadlines, OutboundCall, type RequestOptions } from './outboundCall.ts';
import { type InboundContext, InboundRequests } from './inboundRequests.ts';
import { LogLimiter } from './logLimiter.ts';
import { type Classified, classify, ownId, type RemoteFailure, type RpcId } from './messages.ts';
import type { DroppedMessage, Transport, TransportClosed } from './transport.ts';

export type { InboundContext } from './inboundRequests.ts';
export type { RequestOptions } from './outboundCall.ts';

const MAX_ABANDONED = 1_000;
const REMARKS = { lines: 50, perMs: 10_000 };

export interface RpcHandlers {
  /** Answers a request of the peer. Throw a `WireError` as the answer (`methodNotFound` for unknown methods). */
  request(method: string, params: JsonObject, context: InboundContext): Promise<Json> | Json;
  notification(method: string, params: JsonObject): void;
}

interface PeerOptions {
  readonly clock: Clock;
  /** The id before the first one. A connection that changes its owner must not reuse ids. */
  readonly lastId?: number | undefined;
  /** Fires when the connection starts or stops waiting for the user. Timeouts are paused meanwhile. */
  readonly onWaiting?: Event<boolean> | undefined;
  /** Removes secrets from the error of each failed request: servers write them into their error messages. */
  readonly redact?: ((error: HostError) => HostError) | undefined;
  readonly log: (level: LogLevel, message: string) => void;
}

/**
 * One JSON-RPC peer: requests with timeout and cancellation both ways, as MCP wants them. This class sends our requests
 * and notifications, and passes notifications to their handler. `InboundRequests` answers requests of the other side.
 * The creator of the transport closes it.
 */
export class Peer implements Disposable {
  readonly #transport: Transport;
  readonly #handlers: RpcHandlers;
  readonly #clock: Clock;
  readonly #log: (level: LogLevel, message: string) => void;
  readonly #redact: (error: HostError) => HostError;
  readonly #remarks: LogLimiter;
  readonly #inbound: InboundRequests;
  readonly #pending = new CallTable<AnyCall>();
  /** Ids of the latest requests that were given up. A late answer is ignored without a log line. */
  readonly #abandoned = new Set<number>();
  readonly #deadlines: Deadlines<AnyCall>;
  readonly #closed = new Emitter<TransportClosed>();
  readonly #subscriptions: readonly (Disposable | undefined)[];
  /** Number of received messages. */
  received = 0;
  #lastId: number;
  #end: TransportClosed | undefined;
  #waitingSince: number | undefined;

  readonly onClose = this.#closed.event;

  constructor(transport: Transport, handlers: RpcHandlers, options: PeerOptions) {
    this.#transport = transport;
    this.#handlers = handlers;
    this.#clock = options.clock;
    this.#log = options.log;
    // Ids start at 1, because old servers treat 0 as "no id".
    this.#lastId = options.lastId ?? 0;
    this.#redact = options.redact ?? ((error) => error);
    this.#remarks = new LogLimiter(options.clock, REMARKS, (line) => options.log('warn', line));
    this.#deadlines = new Deadlines(
      options.clock,
      () => this.#pending.values(),
      (call) => this.#timedOut(call),
    );
    this.#inbound = new InboundRequests({
      handle: (method, params, context) => handlers.request(method, params, context),
      send: (answer) => transport.send(answer),
      onError: (message) => options.log('error', message),
    });
    this.#subscriptions = [
      transport.onClose((closed) => {
        this.#finishAll(closed);
        this.#closed.fire(closed);
      }),
      transport.onDropped?.((dropped) => this.#dropped(dropped)),
      options.onWaiting?.((isWaiting) => this.#wait(isWaiting)),
    ];
    transport.start((message) => this.#receive(message));
  }

  /** Whether a request of the peer waits for an answer. */
  get isAsked(): boolean {
    return this.#inbound.isWaiting;
  }

  /** Unanswered outgoing requests with these methods. */
  waiting(methods: ReadonlySet<string>): readonly AnyCall[] {
    return [...this.#pending.values()].filter(({ method }) => methods.has(method));
  }

  cancelWaiting(methods: ReadonlySet<string>): void {
    for (const call of this.waiting(methods))
      this.#abort(call, cancelledError(call.method, 'unknown'), 'Cancelled by the user.');
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Rejects with a `HostError`: TIMEOUT, CANCELLED, CONNECTION_CLOSED, MESSAGE_TOO_LARGE or REMOTE_ERROR. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<Json> {
    return this.decoded(method, params, options, asItIs);
  }

  /** Decodes the result on arrival, which saves a promise. */
  decoded<T>(method: string, params: JsonObject, options: RequestOptions, decode: (result: Json) => T): Promise<T> {
    if (this.#end !== undefined) return Promise.reject(this.#redact(closedError(method, this.#end, 'none')));
    if (options.token?.isCancellationRequested === true) return Promise.reject(cancelledError(method, 'none'));
    const id = ++this.#lastId;
    // Only one promise: what a call allocates is most of what it costs.
    return new Promise((resolve, reject) => {
      const setup = { id, method, options, now: this.#clock.now(), decode };
      const call = new OutboundCall(setup, resolve, reject);
      const sent = options.onProgress === undefined ? params : withToken(params, id);
      options.onSent?.(id);
      try {
        const message = { jsonrpc: '2.0', id, method, params: sent };
        if (options.headers === undefined && options.parts === undefined) this.#transport.send(message);
        else this.#transport.send(message, options);
      } catch (error) {
        reject(this.#redact(unwritable(method, error)));
        return;
      }
      this.#pending.add(call);
      if (options.token !== undefined) this.#followToken(call, options.token);
      this.#deadlines.watch(call.deadline);
    });
  }

  #followToken(call: AnyCall, token: CancellationToken): void {
    call.subscription = token.onCancellationRequested((reason) => {
      const why = typeof reason === 'string' ? reason : 'Cancelled by the user.';
      this.#abort(call, cancelledError(call.method, 'unknown'), why);
    });
  }

  notify(method: string, params: JsonObject = {}): void {
    if (this.#end !== undefined) return;
    try {
      this.#transport.send({ jsonrpc: '2.0', method, params });
    } catch (error) {
      this.#log('error', `${method} could not be sent: ${messageOf(error)}`);
    }
  }

  /** Answers all open requests of the peer with this error and cancels them, except committed ones. */
  refuseOpen(error: RemoteFailure): void {
    this.#inbound.refuseOpen(error);
  }

  dispose(): void {
    this.#finishAll({});
    for (const subscription of this.#subscriptions) subscription?.dispose();
    this.#closed.dispose();
  }

  #receive(message: Json): void {
    this.received++;
    if (this.#end !== undefined) return;
    const classified = classify(message);
    switch (classified.kind) {
      case 'request':
        this.#receiveRequest(classified.id, classified.method, classified.params);
        break;
      case 'notification':
        this.#receiveNotification(classified.method, classified.params);
        break;
      case 'result':
      case 'error':
        this.#receiveAnswer(classified);
        break;
      case 'ignored':
        this.#remark(classified.why);
    }
  }

  #receiveRequest(id: RpcId, method: string, params: Json | undefined): void {
    const named = params ?? {};
    if (isJsonObject(named)) this.#inbound.receive(id, method, named);
    else this.#inbound.refuse(id, { code: RPC.invalidParams, message: 'params must be an object.' });
  }

  #receiveNotification(method: string, params: Json | undefined): void {
    const named = params ?? {};
    if (!isJsonObject(named)) this.#remark(`the notification ${method}, whose params are no object`);
    else if (method === 'notifications/cancelled') this.#cancelInbound(named);
    else if (method === 'notifications/progress') this.#receiveProgress(named);
    else {
      try {
        this.#handlers.notification(method, named);
      } catch (error) {
        this.#log('error', `The notification ${method} failed: ${messageOf(error)}`);
      }
    }
  }

  #receiveAnswer(answer: Extract<Classified, { kind: 'result' | 'error' }>): void {
    const id = ownId(answer.id);
    const call = id === undefined ? undefined : this.#pending.take(id);
    if (call === undefined) {
      if (id === undefined || !this.#abandoned.delete(id))
        this.#remark(`an answer with the unknown id ${String(answer.id)}`);
      return;
    }
    call.subscription?.dispose();
    if (answer.kind === 'result') call.resolve(answer.result);
    else call.reject(this.#redact(remoteError(call.method, answer.error)));
  }

  /** The progress token is the request id. Unknown and finished ones are ignored. */
  #receiveProgress(params: JsonObject): void {
    const { progressToken, progress } = params;
    if (typeof progressToken !== 'number' && typeof progressToken !== 'string') return;
    // Invalid progress counts as no activity. JSON allows 1e999, which is infinite.
    if (!Number.isFinite(progress)) {
      this.#remark('progress that is not a number');
      return;
    }
    const id = ownId(progressToken);
    const call = id === undefined ? undefined : this.#pending.get(id);
    try {
      call?.progressed(this.#clock.now(), params);
    } catch (error) {
      this.#log('error', `Progress of ${call?.method ?? ''} was not taken: ${messageOf(error)}`);
    }
  }

  #cancelInbound(params: JsonObject): void {
    const { requestId, reason } = params;
    if (typeof requestId !== 'number' && typeof requestId !== 'string') return;
    this.#inbound.cancel(requestId, typeof reason === 'string' ? reason : undefined);
  }

  /** Pauses all timeouts while the connection waits for the user. */
  #wait(isWaiting: boolean): void {
    const now = this.#clock.now();
    if (isWaiting) this.#waitingSince ??= now;
    else if (this.#waitingSince !== undefined) {
      const waited = now - this.#waitingSince;
      this.#waitingSince = undefined;
      for (const call of this.#pending.values()) {
        call.postpone(waited);
        this.#deadlines.watch(call.deadline);
      }
    }
  }

  #timedOut(call: AnyCall): void {
    // Checked again after the wait.
    if (this.#waitingSince !== undefined) return;
    // The server waits for this host, and the user may be reading its question. The hard deadline stays.
    if (this.isAsked && call.method !== 'initialize' && call.prolong(this.#clock.now())) {
      this.#deadlines.watch(call.deadline);
      return;
    }
    this.#abort(call, call.tookTooLong(), 'The time allowed for this request is over.');
  }

  /** Settles a call at once and notifies the peer that it is not needed. */
  #abort(call: AnyCall, failure: HostError, reason: string): void {
    if (!this.#settle(call, failure)) return;
    this.#abandon(call.id);
    if (call.method !== 'initialize') this.notify('notifications/cancelled', { requestId: call.id, reason });
  }

  #abandon(id: number): void {
    this.#abandoned.add(id);
    const [oldest] = this.#abandoned;
    if (this.#abandoned.size > MAX_ABANDONED && oldest !== undefined) this.#abandoned.delete(oldest);
  }

  #settle(call: AnyCall, failure: HostError): boolean {
    if (this.#pending.get(call.id) !== call) return false;
    this.#pending.take(call.id);
    call.subscription?.dispose();
    call.reject(this.#redact(failure));
    return true;
  }

  #dropped({ id, isRequest, error }: DroppedMessage): void {
    this.#remarks.line(error.message);
    if (id === undefined) return;
    if (isRequest) {
      this.#inbound.refuse(id, { code: RPC.invalidRequest, message: error.message });
      return;
    }
    const own = ownId(id);
    const call = own === undefined ? undefined : this.#pending.get(own);
    if (call !== undefined) this.#settle(call, error);
  }

  #finishAll(closed: TransportClosed): void {
    if (this.#end !== undefined) return;
    this.#end = closed;
    this.#deadlines.dispose();
    for (const call of [...this.#pending.values()]) this.#settle(call, closedError(call.method, closed, 'unknown'));
    this.#inbound.dispose();
    this.#remarks.dispose();
  }

  #remark(what: string): void {
    this.#remarks.line(`Ignored ${what}.`);
  }
}

function asItIs(result: Json): Json {
  return result;
}

/** MCP "Progress": any value that is unique among running requests, such as the id. */
function withToken(params: JsonObject, progressToken: number): JsonObject {
  const { _meta } = params;
  return { ...params, _meta: isJsonObject(_meta) ? { ..._meta, progressToken } : { progressToken } };
}

function remoteError(method: string, { code, message, data }: RemoteFailure): HostError {
  const text = message === '' ? `The server refused ${method}.` : message;
  return new HostError('REMOTE_ERROR', text, { layer: 'server', rpcCode: code, data });
}

function cancelledError(method: string, effect: Effect): HostError {
  return new HostError('CANCELLED', `${method} was cancelled.`, { layer: 'host', effect });
}

function closedError(method: string, { error }: TransportClosed, effect: Effect): HostError {
  const why = error === undefined ? '' : ` ${error.message}`;
  return new HostError('CONNECTION_CLOSED', `The connection closed before the server answered ${method}.${why}`, {
    layer: 'transport',
    effect,
    suggestion: error?.suggestion ?? 'Start the server again.',
    cause: error,
  });
}

/** The params cannot be written as JSON. */
function unwritable(method: string, error: unknown): HostError {
  return new HostError('INTERNAL', `${method} could not be sent: ${messageOf(error)}`, {
    layer: 'host',
    effect: 'none',
  });
}
