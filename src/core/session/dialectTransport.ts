import { Deferred } from '../base/async.ts';
import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { waitFor } from '../base/patience.ts';
import type { MemberPath } from '../base/unreadJson.ts';
import { LogLimiter } from '../rpc/logLimiter.ts';
import { classify, type RpcId } from '../rpc/messages.ts';
import type { DroppedMessage, SendHints, Transport, TransportClosed, TransportDetails } from '../rpc/transport.ts';
import {
  type Answer,
  dialectNotification,
  dialectRequest,
  type Spoken,
  standardAnswer,
  standardNotifications,
} from './dialectMessages.ts';

/** Time for the server to answer `shutdown`. */
const SHUTDOWN_MS = 1_000;
const REMARKS = { lines: 20, perMs: 10_000 };

interface DialectOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The result of an `initialize` that was already sent on this connection. */
  readonly initialized?: Json | undefined;
}

/** An unanswered request. */
interface Open {
  readonly id: RpcId;
  readonly method: string;
  readonly progressToken: Json | undefined;
}

/** Wraps a server of the short dialect as a standard one, by translating each message. */
export class DialectTransport implements Transport {
  readonly #inner: Transport;
  readonly #options: DialectOptions;
  readonly #remarks: LogLimiter;
  /** By id as text, because some servers echo a number as a string. */
  readonly #open = new Map<string, Open>();
  readonly #shutdown = new Deferred<void>();
  #receiver: ((message: Json) => void) | undefined;
  readonly #answers: JsonObject[] = [];
  #lastId = 0;
  #shutdownId: string | undefined;
  #isInitialized: boolean;
  #isEnded = false;
  #closing: Promise<void> | undefined;

  readonly onClose: Event<TransportClosed>;
  readonly onDropped?: Event<DroppedMessage>;
  readonly onRenewed?: Event<Json>;

  constructor(inner: Transport, options: DialectOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#remarks = new LogLimiter(options.clock, REMARKS, (line) => options.log.log('warn', line));
    this.#isInitialized = options.initialized !== undefined;
    this.onClose = inner.onClose;
    if (inner.onDropped !== undefined) this.onDropped = inner.onDropped;
    const { onRenewed } = inner;
    if (onRenewed !== undefined)
      this.onRenewed = (listener) => onRenewed((result) => listener(standardized('initialize', result)));
    // Both end with the connection.
    inner.onClose(() => this.#ended());
    inner.onDropped?.(({ id, isRequest }) => {
      if (!isRequest && id !== undefined) this.#open.delete(String(id));
    });
  }

  get details(): TransportDetails | undefined {
    return this.#inner.details;
  }

  start(receiver: (message: Json) => void): void {
    const isFirst = this.#receiver === undefined;
    this.#receiver = receiver;
    if (isFirst) this.#inner.start((message) => this.#receive(message));
    queueMicrotask(() => this.#deliverAnswers());
  }

  send(message: Json, hints?: SendHints): void {
    if (this.#closing !== undefined) return;
    const classified = classify(message);
    const params = paramsOf(message);
    if (classified.kind === 'request') this.#sendRequest(classified.id, classified.method, params, hints);
    else if (classified.kind === 'notification') this.#sendNotification(classified.method, params, hints);
    else this.#inner.send(message, hints);
  }

  leaveUnread(paths: readonly MemberPath[]): void {
    this.#inner.leaveUnread?.(paths);
  }

  /** Sends the dialect's shutdown messages, then closes the transport. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #sendRequest(id: RpcId, method: string, params: JsonObject, hints: SendHints | undefined): void {
    const { initialized } = this.#options;
    if (typeof id === 'number') this.#lastId = Math.max(this.#lastId, id);
    if (method === 'initialize' && initialized !== undefined) {
      this.#answer(id, { kind: 'result', result: standardized(method, initialized) });
      return;
    }
    const request = dialectRequest(method, params);
    if (request.kind === 'answered') {
      this.#answer(id, { kind: 'result', result: request.result });
      return;
    }
    this.#inner.send(envelope(request.spoken, id), hints);
    const { _meta } = params;
    const progressToken = isJsonObject(_meta) ? _meta['progressToken'] : undefined;
    this.#open.set(String(id), { id, method, progressToken });
  }

  #sendNotification(method: string, params: JsonObject, hints: SendHints | undefined): void {
    if (method === 'notifications/cancelled') {
      const target = this.#find(params['requestId']);
      // An answered request needs no cancellation. The caller settles it, and late answers are ignored.
      if (target === undefined) return;
      this.#open.delete(String(target.id));
    }
    const spoken = dialectNotification(method, params);
    if (spoken !== undefined) this.#inner.send(envelope(spoken), hints);
  }

  #receive(message: Json): void {
    const classified = classify(message);
    switch (classified.kind) {
      case 'result':
      case 'error':
        this.#receiveAnswer(classified.id, classified);
        return;
      case 'notification':
        for (const spoken of standardNotifications(classified.method, classified.params, this.#tokenOf))
          this.#receiver?.(envelope(spoken));
        return;
      default:
        this.#receiver?.(message);
    }
  }

  #receiveAnswer(id: RpcId, answer: Answer): void {
    const key = String(id);
    if (key === this.#shutdownId) {
      this.#shutdown.resolve();
      return;
    }
    const open = this.#open.get(key);
    if (open === undefined) {
      this.#remarks.line(`Ignored an answer to ${key}, for which nobody waits.`);
      return;
    }
    this.#open.delete(key);
    if (open.method === 'initialize' && answer.kind === 'result') this.#isInitialized = true;
    this.#receiver?.(answerEnvelope(open.id, standardAnswer(open.method, answer)));
  }

  readonly #tokenOf = (id: Json | undefined): Json | undefined => this.#find(id)?.progressToken;

  #find(id: Json | undefined): Open | undefined {
    return typeof id === 'number' || typeof id === 'string' ? this.#open.get(String(id)) : undefined;
  }

  /** Answers a request in place of the server, never within `send`. */
  #answer(id: RpcId, answer: Answer): void {
    this.#answers.push(answerEnvelope(id, answer));
    queueMicrotask(() => this.#deliverAnswers());
  }

  #deliverAnswers(): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    for (const answer of this.#answers.splice(0)) receiver(answer);
  }

  async #shutDown(): Promise<void> {
    if (this.#isInitialized && this.#receiver !== undefined && !this.#isEnded) {
      const id = this.#lastId + 1;
      this.#shutdownId = String(id);
      this.#inner.send({ jsonrpc: '2.0', id, method: 'shutdown' });
      const { clock } = this.#options;
      await waitFor(this.#shutdown.promise, { clock, ms: SHUTDOWN_MS });
      this.#inner.send({ jsonrpc: '2.0', method: 'exit' });
    }
    this.#remarks.dispose();
    await this.#inner.close();
  }

  #ended(): void {
    this.#isEnded = true;
    this.#open.clear();
    this.#remarks.dispose();
    this.#shutdown.resolve();
  }
}

function standardized(method: string, result: Json): Json {
  const answer = standardAnswer(method, { kind: 'result', result });
  return answer.kind === 'result' ? answer.result : result;
}

function paramsOf(message: Json): JsonObject {
  const params = isJsonObject(message) ? message['params'] : undefined;
  return isJsonObject(params) ? params : {};
}

/** Omits undefined members, because not all transports drop them. */
function envelope({ method, params }: Spoken, id?: RpcId): JsonObject {
  return {
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    method,
    ...(params === undefined ? {} : { params }),
  };
}

function answerEnvelope(id: RpcId, answer: Answer): JsonObject {
  if (answer.kind === 'result') return { jsonrpc: '2.0', id, result: answer.result };
  const { code, message, data } = answer.error;
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}
