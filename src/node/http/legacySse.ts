import type { IncomingMessage } from 'node:http';
import {
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
import type { Delivery } from './delivery.ts';
import { contentType, parseMessages, readBeginning, readEvents, readText } from './httpBody.ts';
import { isAnswerStatus, networkFailure, refusalIn, type RpcRefusal, statusFailure } from './httpFailure.ts';
import { HttpRequester } from './httpRequest.ts';
import { PostExchange, PostQueue } from './postQueue.ts';
import { type RemoteServer, remoteServer, type RemoteTransportOptions } from './remoteServer.ts';

/** Time for the server to name the address for messages. */
const START_MS = 30_000;
const ERROR_BODY = 64 * 1024;

/** Opens a connection with the HTTP+SSE transport of MCP 2024-11-05. Throws a `HostError` for an invalid address. */
export function openLegacySse(
  connection: RemoteConnection,
  context: ConnectContext,
  options: RemoteTransportOptions = {},
): OpenTransport & { readonly transport: LegacySse } {
  const server = remoteServer(connection, ['http', 'https'], context, options);
  return { transport: new LegacySse(server), pid: undefined };
}

/**
 * An event stream from the server, and a POST for each message to it. The stream is the session: if it breaks, the
 * connection ends.
 */
export class LegacySse implements Transport {
  readonly details: TransportDetails = { kind: 'sse' };
  readonly #server: RemoteServer;
  readonly #delivery: Delivery;
  readonly #requester: HttpRequester;
  readonly #posts: PostQueue;
  readonly #stream = new AbortController();
  /** The address for messages, once the server has named it. */
  readonly #endpoint = new Deferred<URL>();
  #endpointUrl: URL | undefined;
  #limit: Disposable | undefined;
  #isLate = false;
  /** Whether the server accepted a message. */
  #isKnown = false;
  #closing: Promise<void> | undefined;

  readonly onClose: Delivery['onClose'];
  /** Also fires for a rejected request, so that its caller gets the reason. */
  readonly onDropped: Delivery['onDropped'];

  constructor(server: RemoteServer) {
    this.#server = server;
    this.#delivery = server.delivery;
    this.onClose = server.delivery.onClose;
    this.onDropped = server.delivery.onDropped;
    this.#requester = new HttpRequester(server.agents);
    this.#posts = new PostQueue(server, () => this.#closing !== undefined);
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
    const exchange = new PostExchange(message, this.#server.clock);
    this.#posts.send(
      exchange,
      () => this.#post(exchange, body),
      () => this.#due(exchange),
    );
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
      await readEvents(
        response,
        this.#server.maxMessage,
        { onEvent: (event) => this.#takeEvent(event) },
        () => undefined,
      );
      throw streamEnded();
    } catch (error) {
      this.#fail(this.#isLate ? noEndpoint() : networkFailure(error, this.#server.url));
    } finally {
      this.#limit?.dispose();
    }
  }

  async #open(): Promise<IncomingMessage> {
    const response = await openAuthorized(this.#requester, this.#server.authorizer, {
      method: 'GET',
      url: this.#server.url,
      headers: { accept: 'text/event-stream', 'cache-control': 'no-cache' },
      bound: this.#server.headers,
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
    this.#limit = this.#server.clock.delay(START_MS, () => {
      this.#isLate = true;
      this.#stream.abort();
    });
  }

  /** The user may take any time. The server's time starts again afterwards. */
  #hold(isHeld: boolean): void {
    this.#limit?.dispose();
    if (!isHeld) this.#limitStart();
  }

  #takeEvent({ type, data }: SseEvent): void {
    if (type === 'message') this.#delivery.text(data);
    else if (type === 'endpoint') this.#takeEndpoint(data);
  }

  #takeEndpoint(text: string): void {
    if (this.#endpointUrl !== undefined) return;
    const endpoint = URL.canParse(text, this.#server.url.href) ? new URL(text, this.#server.url) : undefined;
    if (endpoint === undefined) throw badEndpoint(`names an address for messages that is none: ${text.slice(0, 200)}`);
    // Messages contain data that only this server may see.
    if (endpoint.origin !== this.#server.url.origin)
      throw badEndpoint(
        `wants messages to go to another place, ${endpoint.origin}, and not to ${this.#server.url.origin}: nothing was sent there`,
      );
    this.#limit?.dispose();
    this.#endpointUrl = endpoint;
    this.#endpoint.resolve(endpoint);
  }

  async #due({ cancels }: PostExchange): Promise<void> {
    await this.#endpoint.promise;
    if (cancels === undefined) return;
    const target = this.#posts.find(cancels);
    await target?.sent.promise;
    target?.cancelled();
  }

  /** The answer came over the stream, so the POST need not end on its own. */
  #answered(message: Json): void {
    for (const exchange of this.#posts.open) if (exchange.isAnswer(message)) exchange.answered();
  }

  async #post(exchange: PostExchange, body: string): Promise<void> {
    const response = await openAuthorized(this.#requester, this.#server.authorizer, {
      method: 'POST',
      url: await this.#endpoint.promise,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      },
      bound: this.#server.headers,
      body,
      signal: exchange.abort.signal,
      onSent: () => exchange.sent.resolve(),
      onHeld: (isHeld) => exchange.hold(isHeld),
    });
    const status = response.statusCode ?? 0;
    this.#isKnown ||= status >= 200 && status < 300;
    if (status >= 200 && status < 300) await this.#takeReply(response);
    else await this.#takeFailure(exchange, response);
  }

  /** The answer usually comes over the stream, but some servers send it here. Other content is ignored. */
  async #takeReply(response: IncomingMessage): Promise<void> {
    if (contentType(response) !== 'application/json') {
      response.destroy();
      return;
    }
    for (const message of parseMessages(await readText(response, this.#server.maxMessage)) ?? [])
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
    else this.#posts.fail(exchange, failure);
  }

  async #failureIn(response: IncomingMessage): Promise<{ failure: HostError; refusal: RpcRefusal | undefined }> {
    const { statusCode: status = 0, headers } = response;
    const body = await readBeginning(response, ERROR_BODY);
    const failure = statusFailure({ status, body, retryAfter: headers['retry-after'], now: this.#server.clock.now() });
    return { failure, refusal: refusalIn(body) };
  }

  #fail(error: HostError): void {
    if (this.#closing !== undefined) return;
    // Unsent messages fail with this error. The effect of the others is unknown.
    if (this.#endpointUrl === undefined) for (const exchange of this.#posts.open) this.#posts.fail(exchange, error);
    this.#closing = Promise.resolve().then(() => this.#end({ error }));
  }

  async #end(closed: TransportClosed): Promise<void> {
    this.#limit?.dispose();
    await this.#posts.farewell();
    this.#stream.abort();
    this.#posts.abort();
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
