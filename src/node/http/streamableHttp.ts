import type { IncomingMessage } from 'node:http';
import {
  type ConnectContext,
  Deferred,
  type Disposable,
  Emitter,
  type HostError,
  ignoreFailure,
  isJsonObject,
  type Json,
  type MemberPath,
  type OpenTransport,
  type RemoteConnection,
  routingHeaders,
  type SendHints,
  toHostError,
  type Transport,
  type TransportClosed,
  type TransportDetails,
  messageText,
} from '../../core/index.ts';
import type { Delivery } from './delivery.ts';
import { EventFeed } from './eventFeed.ts';
import { contentType, readBeginning, readText } from './httpBody.ts';
import { HttpEndpoint } from './httpEndpoint.ts';
import { isAnswerStatus, notMcp, refusalIn, statusFailure, unanswered } from './httpFailure.ts';
import { type HttpHeaders, inLowerCase } from './httpRequest.ts';
import { isSessionRefusal, LegacySession } from './legacySession.ts';
import { PostExchange, PostQueue } from './postQueue.ts';
import { type RemoteServer, remoteServer, type RemoteTransportOptions } from './remoteServer.ts';

/** For each of the two messages that reopen a session. */
const RENEW_MS = 30_000;
const DELETE_MS = 2_000;
const ERROR_BODY = 64 * 1024;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/**
 * Opens a connection with MCP's Streamable HTTP transport, of any revision. Throws a `HostError` for an invalid
 * address.
 */
export function openStreamableHttp(
  connection: RemoteConnection,
  context: ConnectContext,
  options: RemoteTransportOptions = {},
): OpenTransport & { readonly transport: StreamableHttp } {
  const server = remoteServer(connection, ['http', 'https'], context, options);
  return { transport: new StreamableHttp(server), pid: undefined };
}

/** The body and headers of a POST. */
interface Posting {
  readonly body: string;
  /** The headers of a stateless request (MCP 2026-07-28). */
  readonly stateless: HttpHeaders | undefined;
  readonly hinted: HttpHeaders | undefined;
}

/** The result of a POST. `refused` means that the server does not know the session. */
type Outcome = 'taken' | 'refused';

export class StreamableHttp implements Transport {
  readonly #server: RemoteServer;
  readonly #delivery: Delivery;
  readonly #endpoint: HttpEndpoint;
  readonly #posts: PostQueue;
  readonly #feed: EventFeed;
  readonly #session: LegacySession;
  readonly #versions: Disposable | undefined;
  readonly #renewed = new Emitter<Json>();
  #listening = new AbortController();
  /** Whether the last request was stateless. */
  #isStateless = false;
  #closing: Promise<void> | undefined;

  readonly onClose: Delivery['onClose'];
  /** Also fires for a request whose POST failed, so that its caller gets the reason. */
  readonly onDropped: Delivery['onDropped'];
  readonly onRenewed = this.#renewed.event;

  constructor(server: RemoteServer) {
    const { clock, context, maxMessage, delivery } = server;
    this.#server = server;
    this.#delivery = delivery;
    this.onClose = delivery.onClose;
    this.onDropped = delivery.onDropped;
    this.#endpoint = new HttpEndpoint(server);
    this.#posts = new PostQueue(server, () => this.#closing !== undefined);
    this.#feed = new EventFeed({
      clock,
      log: context.log,
      maxEvent: maxMessage,
      open: (position, signal) => this.#endpoint.stream(position, signal),
      onLost: (session) => ignoreFailure(this.#session.renewed(session)),
    });
    this.#session = new LegacySession({
      post: (message) => this.#postOwn(message),
      now: () => clock.now(),
      version: () => this.#endpoint.version,
      onRenewing: (renewal) => this.#posts.holdUntil(renewal),
      onRenewed: (result) => this.#delivery.inOrder(() => this.#renewed.fire(result)),
      onFailed: (error) => this.#closeWith(error),
    });
    this.#versions = context.negotiated?.((version) => {
      this.#endpoint.version = version;
    });
  }

  get details(): TransportDetails {
    return { kind: 'http', session: this.#session.id };
  }

  start(receiver: (message: Json) => void): void {
    this.#delivery.start(receiver);
  }

  leaveUnread(paths: readonly MemberPath[]): void {
    this.#delivery.leaveUnread(paths);
  }

  send(message: Json, hints?: SendHints): void {
    const posting: Posting = {
      body: messageText(message, hints?.parts),
      stateless: statelessHeaders(message),
      hinted: hints?.headers && inLowerCase(hints.headers),
    };
    if (this.#closing !== undefined) return;
    const { clock } = this.#server;
    const exchange = new PostExchange(message, clock, { isStateless: posting.stateless !== undefined });
    const target = exchange.cancels === undefined ? undefined : this.#cancel(exchange.cancels);
    if (target === 'over') return;
    this.#session.sends(message, exchange);
    if (exchange.id !== undefined) this.#isStateless = exchange.isStateless;
    this.#posts.send(
      exchange,
      () => this.#post(exchange, posting),
      () => target?.sent.promise,
    );
  }

  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#end({}));
    return this.#closing;
  }

  /** Ends the wait for a cancelled request. Returns `over` if the server need not be notified. */
  #cancel(id: Json): PostExchange | 'over' | undefined {
    const target = this.#posts.find(id);
    if (target === undefined) return this.#isStateless ? 'over' : undefined;
    target.cancelled();
    // For a stateless server, closing the stream cancels (MCP 2026-07-28 "Cancellation"). A server that asks for
    // credentials has not started yet.
    const isOver = target.isStateless || target.isHeld;
    if (isOver) target.abort.abort();
    return isOver ? 'over' : target;
  }

  async #post(exchange: PostExchange, posting: Posting): Promise<void> {
    if ((await this.#attempt(exchange, posting, false)) === 'taken') return;
    await this.#session.renewed(exchange.session);
    // A message without an answer belonged to the old session.
    if (exchange.isDone) return;
    if ((await this.#attempt(exchange, posting, true)) === 'refused') this.#session.refusedAgain();
  }

  /** Posts a message of the session itself. */
  #postOwn(message: Json): Promise<Json> {
    const own = new Deferred<Json>();
    const exchange = new PostExchange(message, this.#server.clock, { own });
    const posting: Posting = { body: JSON.stringify(message), stateless: undefined, hinted: undefined };
    exchange.abortLater(RENEW_MS);
    this.#posts.sendNow(exchange, async () => {
      const outcome = await this.#attempt(exchange, posting, true);
      if (outcome === 'taken' && exchange.id === undefined) own.resolve(null);
      else own.reject(unanswered());
    });
    return own.promise;
  }

  async #attempt(exchange: PostExchange, { body, stateless, hinted }: Posting, isFresh: boolean): Promise<Outcome> {
    const isOpening = exchange.method === 'initialize';
    const isPlain = isOpening || exchange.isStateless;
    exchange.session = isPlain ? undefined : this.#session.id;
    const response = await this.#endpoint.post({
      body,
      session: exchange.session,
      isNegotiated: !isPlain,
      headers: stateless,
      bound: hinted,
      signal: exchange.abort.signal,
      onSent: () => exchange.sent.resolve(),
      onHeld: (isHeld) => exchange.hold(isHeld),
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status >= 300) return this.#takeFailure(exchange, status, response, isFresh);
    const session = response.headers['mcp-session-id'];
    if (isOpening) this.#session.id = typeof session === 'string' ? session : undefined;
    await this.#takeReply(exchange, response);
    return 'taken';
  }

  async #takeReply(exchange: PostExchange, response: IncomingMessage): Promise<void> {
    if (contentType(response) === 'text/event-stream') {
      await this.#feed.follow(response, {
        take: (text) => this.#takeText(text, exchange),
        isDone: () => exchange.isDone,
        signal: exchange.abort.signal,
        session: exchange.session,
        isResumable: !exchange.isStateless,
      });
    } else {
      const text = await readText(response, this.#server.maxMessage);
      if (text.trim() !== '' && !this.#takeText(text, exchange) && !exchange.isDone) throw notMcp(text);
    }
    if (!exchange.isDone) throw unanswered();
    if (exchange.isInitialized) this.#listen();
  }

  /** Opens the stream for unrequested messages in the current session. */
  #listen(): void {
    this.#listening.abort();
    if (this.#closing !== undefined) return;
    this.#listening = new AbortController();
    const take = (text: string): boolean => this.#takeText(text, undefined);
    ignoreFailure(this.#feed.listen({ take, session: this.#session.id, signal: this.#listening.signal }));
  }

  async #takeFailure(
    exchange: PostExchange,
    status: number,
    response: IncomingMessage,
    isFresh: boolean,
  ): Promise<Outcome> {
    const body = await readBeginning(response, ERROR_BODY);
    if (exchange.session !== undefined && isSessionRefusal(status, body, isFresh)) return 'refused';
    const refusal = isAnswerStatus(status) ? refusalIn(body) : undefined;
    if (refusal !== undefined && exchange.id !== undefined)
      this.#takeText(JSON.stringify({ jsonrpc: '2.0', id: exchange.id, error: refusal }), exchange);
    else {
      const retryAfter = response.headers['retry-after'];
      this.#posts.fail(exchange, statusFailure({ status, body, retryAfter, now: this.#server.clock.now() }));
    }
    return 'taken';
  }

  /** Delivers the messages in a text. Returns false for invalid JSON. */
  #takeText(text: string, exchange: PostExchange | undefined): boolean {
    const messages = this.#delivery.parse(text);
    if (messages === undefined) return false;
    for (const message of messages) {
      const isAnswer = exchange?.isAnswer(message) === true;
      if (isAnswer) exchange.answered();
      if (isAnswer && exchange.own !== undefined) exchange.own.resolve(message);
      else this.#delivery.message(message);
    }
    return true;
  }

  #closeWith(error: HostError): void {
    this.#closing ??= Promise.resolve().then(() => this.#end({ error }));
  }

  async #end(closed: TransportClosed): Promise<void> {
    this.#versions?.dispose();
    await this.#posts.farewell();
    this.#listening.abort();
    this.#posts.abort();
    if (this.#session.id !== undefined) await this.#leave(this.#session.id);
    this.#endpoint.close();
    this.#delivery.inOrder(() => this.#renewed.dispose());
    this.#delivery.end(closed);
  }

  async #leave(session: string): Promise<void> {
    const abort = new AbortController();
    const timer = this.#server.clock.delay(DELETE_MS, () => abort.abort());
    try {
      await this.#endpoint.leave(session, abort.signal);
    } catch (error) {
      this.#server.context.log.log('debug', `The session was not ended: ${toHostError(error).message}`);
    } finally {
      timer.dispose();
    }
  }
}

/**
 * The headers that repeat members of a stateless request for routing (MCP 2026-07-28 "Standard Headers"). `undefined`
 * for other messages.
 */
function statelessHeaders(message: Json): HttpHeaders | undefined {
  if (!isJsonObject(message)) return undefined;
  const { method, params } = message;
  if (typeof method !== 'string' || !isJsonObject(params) || !isJsonObject(params['_meta'])) return undefined;
  const version = params['_meta'][VERSION_KEY];
  if (typeof version !== 'string') return undefined;
  return inLowerCase({ ...routingHeaders(method, params), 'MCP-Protocol-Version': version });
}
