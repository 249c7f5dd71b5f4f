import type { IncomingMessage } from 'node:http';
import {
  type Clock,
  type ConnectContext,
  type Disposable,
  type DroppedMessage,
  Emitter,
  HostError,
  ignoreFailure,
  isJsonObject,
  type Json,
  type JsonObject,
  type OpenTransport,
  type RemoteConnection,
  toHostError,
  type Transport,
  type TransportClosed,
} from '../core/index.ts';
import { backgroundClock } from './backgroundClock.ts';
import { EventFeed, type FeedReply } from './eventFeed.ts';
import { contentType, parseMessages, readBeginning, readText } from './httpBody.ts';
import { networkFailure, statusFailure } from './httpFailure.ts';
import { type HttpHeaders, HttpRequester } from './httpRequest.ts';
import { PostExchange } from './postExchange.ts';

/** A reply stream that stays open after its answer, or after a cancelled request, is dropped after this long. */
const LINGER_MS = 2_000;
/** What needs no answer must at least be accepted within this time. */
const ACCEPT_MS = 30_000;
/** Nothing is sent before the server took `initialized`, unless it takes longer than this. */
const READY_MS = 10_000;
const DELETE_MS = 2_000;
const MAX_REPLY = 64 * 1024 * 1024;
const ERROR_BODY = 64 * 1024;

export interface StreamableHttpOptions {
  readonly clock?: Clock | undefined;
  /** The longest reply, and the longest event of a stream. */
  readonly maxReply?: number | undefined;
}

/** Opens a connection by MCP's Streamable HTTP (2025-03-26 to 2025-11-25). Throws a `HostError` for a bad address. */
export function openStreamableHttp(
  connection: RemoteConnection,
  context: ConnectContext,
  options: StreamableHttpOptions = {},
): OpenTransport {
  const url = URL.canParse(connection.url) ? new URL(connection.url) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new HostError('INVALID_SETTINGS', `“${connection.url}” is not an address that begins with http or https.`, {
      layer: 'settings',
      effect: 'none',
      suggestion: "Correct the server's `url`.",
    });
  return { transport: new StreamableHttp(url, connection.headers, context, options), pid: undefined };
}

class StreamableHttp implements Transport {
  readonly #url: URL;
  readonly #headers: HttpHeaders;
  readonly #context: ConnectContext;
  readonly #clock: Clock;
  readonly #maxReply: number;
  readonly #requester = new HttpRequester();
  readonly #exchanges = new Set<PostExchange>();
  readonly #feed: EventFeed;
  readonly #versions: Disposable | undefined;
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  #held: (() => void)[] | undefined = [];
  #receiver: (message: Json) => void = () => undefined;
  #ready: Promise<void> = Promise.resolve();
  #session: string | undefined;
  #version: string | undefined;
  #closing: Promise<void> | undefined;

  readonly onClose = this.#closed.event;
  /** Also fires for a request whose POST failed: whoever waits for its answer is told why there is none. */
  readonly onDropped = this.#dropped.event;

  constructor(url: URL, headers: HttpHeaders, context: ConnectContext, options: StreamableHttpOptions) {
    const { clock = backgroundClock, maxReply = MAX_REPLY } = options;
    this.#url = url;
    this.#headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    this.#context = context;
    this.#clock = clock;
    this.#maxReply = maxReply;
    this.#feed = new EventFeed({
      clock,
      log: context.log,
      maxEvent: maxReply,
      open: (lastEventId, signal) => this.#openStream(lastEventId, signal),
      onLost: () => this.#loseSession(),
    });
    this.#versions = context.negotiated?.((version) => {
      this.#version = version;
    });
  }

  start(receiver: (message: Json) => void): void {
    this.#receiver = receiver;
    queueMicrotask(() => {
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const deliver of held) deliver();
    });
  }

  send(message: Json): void {
    const body = JSON.stringify(message);
    if (this.#closing !== undefined) return;
    const exchange = new PostExchange(message);
    this.#exchanges.add(exchange);
    const posted = this.#after(exchange, message).then(() => this.#post(exchange, body));
    if (exchange.method === 'notifications/initialized') this.#ready = this.#atMost(READY_MS, posted);
    ignoreFailure(posted);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#end({}));
    return this.#closing;
  }

  /** Messages overtake each other on their way: some must not. */
  async #after(exchange: PostExchange, message: Json): Promise<void> {
    await this.#ready;
    if (exchange.method !== 'notifications/cancelled') return;
    const params = isJsonObject(message) && isJsonObject(message['params']) ? message['params'] : {};
    const target = [...this.#exchanges].find((other) => other.id !== undefined && other.id === params['requestId']);
    if (target === undefined) return;
    target.cancelled();
    target.abortLater(this.#clock, LINGER_MS);
    await target.sent.promise;
  }

  async #post(exchange: PostExchange, body: string): Promise<void> {
    try {
      if (exchange.id === undefined) exchange.abortLater(this.#clock, ACCEPT_MS);
      const response = await this.#requester.open({
        method: 'POST',
        url: this.#url,
        headers: {
          ...this.#commonHeaders('application/json, text/event-stream'),
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        },
        bound: this.#boundHeaders(),
        body,
        signal: exchange.abort.signal,
        onSent: () => exchange.sent.resolve(),
      });
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) await this.#takeReply(exchange, response);
      else await this.#takeFailure(exchange, status, response);
    } catch (error) {
      this.#fail(exchange, networkFailure(error, this.#url));
    } finally {
      exchange.end();
      this.#exchanges.delete(exchange);
    }
  }

  async #takeReply(exchange: PostExchange, response: IncomingMessage): Promise<void> {
    const session = response.headers['mcp-session-id'];
    if (exchange.method === 'initialize' && typeof session === 'string') this.#session = session;
    if (contentType(response) === 'text/event-stream') {
      await this.#feed.follow(response, {
        take: (text) => this.#takeText(text, exchange),
        isDone: () => exchange.isDone,
        signal: exchange.abort.signal,
      });
    } else {
      const text = await readText(response, this.#maxReply);
      if (text.trim() !== '' && !this.#takeText(text, exchange) && !exchange.isDone) throw notMcp(text);
    }
    if (!exchange.isDone) throw unanswered();
    if (exchange.method === 'notifications/initialized')
      ignoreFailure(this.#feed.listen((text) => this.#takeText(text, undefined)));
  }

  async #takeFailure(exchange: PostExchange, status: number, response: IncomingMessage): Promise<void> {
    const body = await readBeginning(response, ERROR_BODY);
    const error = rpcError(body);
    // Servers tell in either way that they do not know the session (any more).
    const isLost = status === 404 || (status === 400 && error?.['code'] === -32000);
    const failure = statusFailure({
      status,
      body,
      retryAfter: response.headers['retry-after'],
      now: this.#clock.now(),
    });
    if (isLost && this.#session !== undefined && exchange.method !== 'initialize') {
      this.#fail(exchange, failure);
      this.#loseSession();
    } else if (error !== undefined && exchange.id !== undefined) {
      this.#takeText(JSON.stringify({ jsonrpc: '2.0', id: exchange.id, error }), exchange);
    } else this.#fail(exchange, failure);
  }

  /** Delivers what is in a text; false where it is not JSON. */
  #takeText(text: string, exchange: PostExchange | undefined): boolean {
    const messages = parseMessages(text);
    if (messages === undefined) {
      this.#context.log.log('warn', `Not a message: ${text.slice(0, 200)}`);
      return false;
    }
    for (const message of messages) {
      if (exchange?.isAnswer(message) === true) {
        exchange.answered();
        exchange.abortLater(this.#clock, LINGER_MS);
      }
      this.#deliver(() => this.#receiver(message));
    }
    return true;
  }

  #fail(exchange: PostExchange, error: HostError): void {
    if (this.#closing !== undefined) return;
    const { id, isDone } = exchange;
    if (id === undefined)
      this.#context.log.log('warn', `${exchange.method ?? 'An answer'} was not taken: ${error.message}`);
    else if (!isDone) {
      exchange.answered();
      this.#deliver(() => this.#dropped.fire({ id, isRequest: false, error }));
    }
  }

  #deliver(delivery: () => void): void {
    if (this.#held === undefined) delivery();
    else this.#held.push(delivery);
  }

  async #openStream(lastEventId: string, signal: AbortSignal): Promise<FeedReply> {
    const response = await this.#requester.open({
      method: 'GET',
      url: this.#url,
      headers: {
        ...this.#commonHeaders('text/event-stream'),
        ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
      },
      bound: this.#boundHeaders(),
      signal,
    });
    const status = response.statusCode ?? 0;
    if (status === 200 && contentType(response) === 'text/event-stream') return { kind: 'stream', response };
    response.destroy();
    if (status === 404 && this.#session !== undefined) return { kind: 'lost' };
    return { kind: status >= 500 || status === 429 ? 'later' : 'never', status };
  }

  #commonHeaders(accept: string): HttpHeaders {
    return { accept, ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }) };
  }

  #boundHeaders(): HttpHeaders {
    return this.#session === undefined ? this.#headers : { ...this.#headers, 'mcp-session-id': this.#session };
  }

  #loseSession(): void {
    const error = new HostError('CONNECTION_CLOSED', 'The server no longer knows this session.', {
      layer: 'transport',
      suggestion: 'Restart the server.',
    });
    this.#session = undefined;
    this.#closing ??= Promise.resolve().then(() => this.#end({ error }));
  }

  async #end(closed: TransportClosed): Promise<void> {
    this.#versions?.dispose();
    this.#feed.dispose();
    for (const exchange of this.#exchanges) exchange.abort.abort();
    if (this.#session !== undefined) await this.#deleteSession();
    this.#requester.close();
    this.#deliver(() => {
      this.#receiver = () => undefined;
      this.#closed.fire(closed);
      this.#closed.dispose();
      this.#dropped.dispose();
    });
  }

  async #deleteSession(): Promise<void> {
    const abort = new AbortController();
    const timer = this.#clock.delay(DELETE_MS, () => abort.abort());
    try {
      const headers = this.#commonHeaders('application/json');
      const call = { method: 'DELETE', url: this.#url, headers, bound: this.#boundHeaders() } as const;
      (await this.#requester.open({ ...call, signal: abort.signal })).destroy();
    } catch (error) {
      this.#context.log.log('debug', `The session was not ended: ${toHostError(error).message}`);
    } finally {
      timer.dispose();
    }
  }

  async #atMost(ms: number, promise: Promise<void>): Promise<void> {
    let timer: Disposable | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#clock.delay(ms, resolve);
    });
    await Promise.race([promise, late]);
    timer?.dispose();
  }
}

/** The error in a reply that is a JSON-RPC answer. */
function rpcError(body: string): JsonObject | undefined {
  try {
    const [message] = parseMessages(body) ?? [];
    const error = isJsonObject(message) ? message['error'] : undefined;
    return isJsonObject(error) && typeof error['code'] === 'number' ? error : undefined;
  } catch {
    return undefined;
  }
}

function unanswered(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server ended its reply without an answer.', {
    layer: 'transport',
    suggestion: "Look into the server's own log for what happened.",
  });
}

function notMcp(text: string): HostError {
  return new HostError('INVALID_MESSAGE', `The server answered with what is no message: ${text.slice(0, 200)}`, {
    layer: 'protocol',
    suggestion: "Check the server's `url`: it must be its MCP endpoint.",
  });
}
