import type { IncomingMessage } from 'node:http';
import {
  type Clock,
  type ConnectContext,
  Deferred,
  type Disposable,
  HostError,
  ignoreFailure,
  isJsonObject,
  type Json,
  type MemberPath,
  type OpenTransport,
  type RemoteConnection,
  type SseEvent,
  type Transport,
  type TransportClosed,
  type TransportDetails,
  messageText,
  type SendHints,
} from '../../core/index.ts';
import { openAuthorized } from './authorizedRequest.ts';
import type { Authorizer } from './authorizer.ts';
import { backgroundClock } from '../backgroundClock.ts';
import { Delivery, MAX_MESSAGE, remoteAddress, type RemoteTransportOptions } from './delivery.ts';
import { contentType, parseMessages, readBeginning, readEvents, readText } from './httpBody.ts';
import { isAnswerStatus, networkFailure, refusalIn, type RpcRefusal, statusFailure } from './httpFailure.ts';
import { type HttpHeaders, HttpRequester, inLowerCase } from './httpRequest.ts';
import { answerSlots, atMost, farewellSent, PostExchange } from './postExchange.ts';

/** Time for the server to name the address for messages. */
const START_MS = 30_000;
/** Time for the server to accept a message that needs no answer. */
const ACCEPT_MS = 30_000;
/** Nothing is sent before the server accepted `initialized`, unless it takes longer than this. */
const READY_MS = 10_000;
/** Closes a POST that stays open after its answer or its cancellation. */
const LINGER_MS = 2_000;
const ERROR_BODY = 64 * 1024;

/** Opens a connection with the HTTP+SSE transport of MCP 2024-11-05. Throws a `HostError` for an invalid address. */
export function openLegacySse(
  connection: RemoteConnection,
  context: ConnectContext,
  options: RemoteTransportOptions = {},
): OpenTransport & { readonly transport: LegacySse } {
  const url = remoteAddress(connection, ['http', 'https']);
  return { transport: new LegacySse(url, inLowerCase(connection.headers), context, options), pid: undefined };
}

/**
 * An event stream from the server, and a POST for each message to it. The stream is the session: if it breaks, the
 * connection ends.
 */
export class LegacySse implements Transport {
  readonly details: TransportDetails = { kind: 'sse' };
  readonly #url: URL;
  readonly #headers: HttpHeaders;
  readonly #context: ConnectContext;
  readonly #clock: Clock;
  readonly #maxMessage: number;
  readonly #authorizer: Authorizer | undefined;
  readonly #requester: HttpRequester;
  readonly #delivery: Delivery;
  readonly #stream = new AbortController();
  /** The address for messages, once the server has named it. */
  readonly #endpoint = new Deferred<URL>();
  readonly #exchanges = new Set<PostExchange>();
  readonly #answers = answerSlots();
  #endpointUrl: URL | undefined;
  #limit: Disposable | undefined;
  #isLate = false;
  #isHeld = false;
  /** Whether the server accepted a message. */
  #isKnown = false;
  #ready: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  readonly onClose: Delivery['onClose'];
  /** Also fires for a rejected request, so that its caller gets the reason. */
  readonly onDropped: Delivery['onDropped'];
  readonly onHeld: Delivery['onHeld'];

  constructor(url: URL, headers: HttpHeaders, context: ConnectContext, options: RemoteTransportOptions) {
    this.#url = url;
    this.#headers = headers;
    this.#context = context;
    this.#clock = options.clock ?? backgroundClock;
    this.#maxMessage = options.maxMessage ?? MAX_MESSAGE;
    this.#authorizer = options.authorizer;
    this.#requester = new HttpRequester(options.agents);
    this.#delivery = new Delivery(this.#clock, context);
    this.onClose = this.#delivery.onClose;
    this.onDropped = this.#delivery.onDropped;
    this.onHeld = this.#delivery.onHeld;
    ignoreFailure(this.#listen());
  }

  start(receiver: (message: Json) => void): void {
    this.#delivery.start((message) => {
      this.#answered(message);
      receiver(message);
    });
  }

  send(message: Json, hints?: SendHints): void {
    const body = messageText(message, hints?.parts);
    if (this.#closing !== undefined) return;
    const exchange = new PostExchange(message, false);
    if (exchange.isReply && this.#answers.isFull) {
      this.#context.log.log('debug', 'An answer was not sent: the server takes none.');
      return;
    }
    this.#exchanges.add(exchange);
    if (this.#isHeld && exchange.id !== undefined) this.#delivery.hold({ id: exchange.id, isHeld: true });
    const post = (): Promise<void> => this.#post(exchange, body);
    const posted = this.#after(exchange).then(() => (exchange.isReply ? this.#answers.run(post) : post()));
    if (exchange.isInitialized) this.#ready = atMost(READY_MS, posted, this.#clock);
    ignoreFailure(posted);
  }

  leaveUnread(paths: readonly MemberPath[]): void {
    this.#delivery.leaveUnread(paths);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#end({}));
    return this.#closing;
  }

  async #listen(): Promise<void> {
    this.#limitStart();
    try {
      const response = await this.#open();
      await readEvents(response, this.#maxMessage, { onEvent: (event) => this.#takeEvent(event) }, () => undefined);
      throw streamEnded();
    } catch (error) {
      this.#fail(this.#isLate ? noEndpoint() : networkFailure(error, this.#url));
    } finally {
      this.#limit?.dispose();
    }
  }

  async #open(): Promise<IncomingMessage> {
    const response = await openAuthorized(this.#requester, this.#authorizer, {
      method: 'GET',
      url: this.#url,
      headers: { accept: 'text/event-stream', 'cache-control': 'no-cache' },
      bound: this.#headers,
      signal: this.#stream.signal,
      onHeld: (isHeld) => this.#hold(isHeld),
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status >= 300) throw (await this.#failureIn(response)).failure;
    if (contentType(response) === 'text/event-stream') return response;
    response.destroy();
    throw noStream();
  }

  #limitStart(): void {
    this.#limit = this.#clock.delay(START_MS, () => {
      this.#isLate = true;
      this.#stream.abort();
    });
  }

  /** The user may take any time. The server's time starts again afterwards. */
  #hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#limit?.dispose();
    if (!isHeld) this.#limitStart();
    for (const { id } of this.#exchanges) if (id !== undefined) this.#delivery.hold({ id, isHeld });
  }

  #takeEvent({ type, data }: SseEvent): void {
    if (type === 'message') this.#delivery.text(data);
    else if (type === 'endpoint') this.#takeEndpoint(data);
  }

  #takeEndpoint(text: string): void {
    if (this.#endpointUrl !== undefined) return;
    const endpoint = URL.canParse(text, this.#url.href) ? new URL(text, this.#url) : undefined;
    if (endpoint === undefined) throw badEndpoint(`names an address for messages that is none: ${text.slice(0, 200)}`);
    // Messages contain data that only this server may see.
    if (endpoint.origin !== this.#url.origin)
      throw badEndpoint(
        `wants messages to go to another place, ${endpoint.origin}, and not to ${this.#url.origin}: nothing was sent there`,
      );
    this.#limit?.dispose();
    this.#endpointUrl = endpoint;
    this.#endpoint.resolve(endpoint);
  }

  /** Messages may overtake each other, but some must not. */
  async #after({ cancels }: PostExchange): Promise<void> {
    // Read now, because a later value may wait for this message.
    const ready = this.#ready;
    await this.#endpoint.promise;
    await ready;
    if (cancels === undefined) return;
    const target = [...this.#exchanges].find((other) => other.id !== undefined && other.id === cancels);
    await target?.sent.promise;
    target?.cancelled();
    target?.abortLater(this.#clock, LINGER_MS);
  }

  /** The answer came over the stream, so the POST need not end on its own. */
  #answered(message: Json): void {
    for (const exchange of this.#exchanges)
      if (exchange.isAnswer(message)) {
        exchange.answered();
        exchange.abortLater(this.#clock, LINGER_MS);
      }
  }

  async #post(exchange: PostExchange, body: string): Promise<void> {
    try {
      if (exchange.id === undefined) exchange.abortLater(this.#clock, ACCEPT_MS);
      const response = await openAuthorized(this.#requester, this.#authorizer, {
        method: 'POST',
        url: await this.#endpoint.promise,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        },
        bound: this.#headers,
        body,
        signal: exchange.abort.signal,
        onSent: () => exchange.sent.resolve(),
        onHeld: (isHeld) => {
          exchange.hold(isHeld);
          if (exchange.id !== undefined) this.#delivery.hold({ id: exchange.id, isHeld });
        },
      });
      const status = response.statusCode ?? 0;
      this.#isKnown ||= status >= 200 && status < 300;
      if (status >= 200 && status < 300) await this.#takeReply(response);
      else await this.#takeFailure(exchange, response);
    } catch (error) {
      this.#failExchange(exchange, networkFailure(error, this.#url));
    } finally {
      exchange.end();
      this.#exchanges.delete(exchange);
    }
  }

  /** The answer usually comes over the stream, but some servers send it here. Other content is ignored. */
  async #takeReply(response: IncomingMessage): Promise<void> {
    if (contentType(response) !== 'application/json') {
      response.destroy();
      return;
    }
    for (const message of parseMessages(await readText(response, this.#maxMessage)) ?? [])
      if (isMessage(message)) this.#delivery.message(message);
  }

  async #takeFailure(exchange: PostExchange, response: IncomingMessage): Promise<void> {
    const status = response.statusCode ?? 0;
    const { failure, refusal } = await this.#failureIn(response);
    const { id } = exchange;
    // The server accepted messages before, so the address is right.
    if (status === 404 && this.#isKnown) this.#fail(sessionLost());
    else if (id !== undefined && refusal !== undefined && isAnswerStatus(status))
      this.#delivery.message({ jsonrpc: '2.0', id, error: { ...refusal } });
    else this.#failExchange(exchange, failure);
  }

  async #failureIn(response: IncomingMessage): Promise<{ failure: HostError; refusal: RpcRefusal | undefined }> {
    const { statusCode: status = 0, headers } = response;
    const body = await readBeginning(response, ERROR_BODY);
    const failure = statusFailure({ status, body, retryAfter: headers['retry-after'], now: this.#clock.now() });
    return { failure, refusal: refusalIn(body) };
  }

  #failExchange(exchange: PostExchange, error: HostError): void {
    if (this.#closing !== undefined) return;
    const { id, method } = exchange;
    // The caller no longer waits.
    if (id !== undefined && exchange.isDone) return;
    if (id !== undefined) this.#delivery.drop({ id, isRequest: false, error });
    else this.#context.log.log('warn', `${method ?? 'An answer'} was not taken: ${error.message}`);
  }

  #fail(error: HostError): void {
    if (this.#closing !== undefined) return;
    // Unsent messages fail with this error. The effect of the others is unknown.
    if (this.#endpointUrl === undefined) for (const exchange of this.#exchanges) this.#failExchange(exchange, error);
    this.#closing = Promise.resolve().then(() => this.#end({ error }));
  }

  async #end(closed: TransportClosed): Promise<void> {
    this.#limit?.dispose();
    await farewellSent(this.#exchanges, this.#clock);
    this.#stream.abort();
    for (const exchange of this.#exchanges) exchange.abort.abort();
    this.#requester.close();
    this.#delivery.end(closed);
  }
}

function isMessage(message: Json): boolean {
  if (!isJsonObject(message)) return false;
  const { id, method, result, error } = message;
  return typeof method === 'string' || (id !== undefined && (result !== undefined || error !== undefined));
}

function noEndpoint(): HostError {
  return new HostError('TIMEOUT', `The server did not say within ${START_MS / 1000} seconds where messages go.`, {
    layer: 'transport',
    effect: 'none',
    suggestion: "Check the server's `url`: it must be its SSE endpoint.",
  });
}

function noStream(): HostError {
  return new HostError('INVALID_MESSAGE', 'The server answered with what is no stream of events.', {
    layer: 'protocol',
    effect: 'none',
    suggestion: "Check the server's `url`: it must be its SSE endpoint.",
  });
}

function badEndpoint(what: string): HostError {
  return new HostError('INVALID_MESSAGE', `The server ${what}.`, {
    layer: 'protocol',
    effect: 'none',
    suggestion: 'Have the server name a path only, or the address at which it is reached.',
  });
}

function streamEnded(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server ended its stream of events.', {
    layer: 'transport',
    suggestion: 'Start the server again.',
  });
}

function sessionLost(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server no longer knows this session.', {
    layer: 'transport',
    suggestion: 'Start the server again.',
  });
}
