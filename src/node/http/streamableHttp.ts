import type { IncomingMessage } from 'node:http';
import {
  type Clock,
  type ConnectContext,
  Deferred,
  type Disposable,
  type DroppedMessage,
  Emitter,
  HostError,
  ignoreFailure,
  type Json,
  LogLimiter,
  type MemberPath,
  type OpenTransport,
  type RemoteConnection,
  type SendHints,
  toHostError,
  type Transport,
  type TransportClosed,
  type TransportDetails,
  messageText,
} from '../../core/index.ts';
import { AnswerTurns } from './answerTurns.ts';
import type { Authorizer } from './authorizer.ts';
import { backgroundClock } from '../backgroundClock.ts';
import { EventFeed } from './eventFeed.ts';
import type { HttpAgents } from './httpAgents.ts';
import { contentType, parseMessages, readBeginning, readText } from './httpBody.ts';
import { HttpEndpoint } from './httpEndpoint.ts';
import {
  isAnswerStatus,
  networkFailure,
  notMcp,
  refusalIn,
  shownBody,
  statusFailure,
  unanswered,
} from './httpFailure.ts';
import type { HttpHeaders } from './httpRequest.ts';
import { isSessionRefusal, LegacySession } from './legacySession.ts';
import { lifted } from '../process/longMessage.ts';
import { atMost, farewellSent, PostExchange } from './postExchange.ts';
import { inLowerCase, statelessHeaders } from './statelessRequest.ts';

/** A reply stream that stays open after its answer, or after a cancelled request, is dropped after this long. */
const LINGER_MS = 2_000;
/** What needs no answer must at least be accepted within this time. */
const ACCEPT_MS = 30_000;
/** Nothing is sent before the server took `initialized`, unless it takes longer than this. */
const READY_MS = 10_000;
/** For each of the two messages that open a session anew. */
const RENEW_MS = 30_000;
const DELETE_MS = 2_000;
const NOISE = { lines: 50, perMs: 10_000 };
const MAX_REPLY = 64 * 1024 * 1024;
const ERROR_BODY = 64 * 1024;

export interface StreamableHttpOptions {
  readonly clock?: Clock | undefined;
  /** The longest reply, and the longest event of a stream. */
  readonly maxReply?: number | undefined;
  /** Gets credentials where the server asks for them. Whoever made it disposes of it, after the transport. */
  readonly authorizer?: Authorizer | undefined;
  /** Default: connections of its own, with the proxies of the environment. */
  readonly agents?: HttpAgents | undefined;
}

/** That a request waits for credentials, or waits no longer: meanwhile its time does not run. */
export interface HeldRequest {
  readonly id: number | string;
  readonly isHeld: boolean;
}

/** Opens a connection by MCP's Streamable HTTP, of any revision. Throws a `HostError` for a bad address. */
export function openStreamableHttp(
  connection: RemoteConnection,
  context: ConnectContext,
  options: StreamableHttpOptions = {},
): OpenTransport & { readonly transport: StreamableHttp } {
  const url = URL.canParse(connection.url) ? new URL(connection.url) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new HostError('INVALID_SETTINGS', `“${connection.url}” is not an address that begins with http or https.`, {
      layer: 'settings',
      effect: 'none',
      suggestion: "Correct the server's `url`.",
    });
  return { transport: new StreamableHttp(url, connection.headers, context, options), pid: undefined };
}

/** What is posted, and with which headers. */
interface Posting {
  readonly body: string;
  /** Of a request that says everything of itself (MCP 2026-07-28). */
  readonly stateless: HttpHeaders | undefined;
  readonly hinted: HttpHeaders | undefined;
}

/** What became of a POST; `refused` for want of a session that the server knows. */
type Outcome = 'taken' | 'refused';

export class StreamableHttp implements Transport {
  readonly #endpoint: HttpEndpoint;
  readonly #context: ConnectContext;
  readonly #clock: Clock;
  readonly #maxReply: number;
  readonly #noise: LogLimiter;
  readonly #exchanges = new Set<PostExchange>();
  readonly #answers = new AnswerTurns();
  readonly #feed: EventFeed;
  readonly #session: LegacySession;
  readonly #versions: Disposable | undefined;
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  readonly #renewed = new Emitter<Json>();
  readonly #held = new Emitter<HeldRequest>();
  #kept: (() => void)[] | undefined = [];
  #receiver: (message: Json) => void = () => undefined;
  #ready: Promise<void> = Promise.resolve();
  #listening = new AbortController();
  /** Of the last request. */
  #isStateless = false;
  #unread: readonly MemberPath[] = [];
  #closing: Promise<void> | undefined;

  readonly onClose = this.#closed.event;
  /** Also fires for a request whose POST failed: whoever waits for its answer is told why there is none. */
  readonly onDropped = this.#dropped.event;
  readonly onRenewed = this.#renewed.event;
  readonly onHeld = this.#held.event;
  readonly leaveUnread = (paths: readonly MemberPath[]): void => void (this.#unread = paths);

  constructor(url: URL, headers: HttpHeaders, context: ConnectContext, options: StreamableHttpOptions) {
    const { clock = backgroundClock, maxReply = MAX_REPLY, authorizer, agents } = options;
    this.#endpoint = new HttpEndpoint({ url, headers, authorizer, agents });
    this.#context = context;
    this.#clock = clock;
    this.#maxReply = maxReply;
    this.#noise = new LogLimiter(clock, NOISE, (line) => context.log.log('warn', line));
    this.#feed = new EventFeed({
      clock,
      log: context.log,
      maxEvent: maxReply,
      open: (position, signal) => this.#endpoint.stream(position, signal),
      onLost: (session) => ignoreFailure(this.#session.renewed(session)),
    });
    this.#session = new LegacySession({
      post: (message) => this.#postOwn(message),
      now: () => clock.now(),
      version: () => this.#endpoint.version,
      onRenewing: (renewal) => {
        this.#ready = renewal;
      },
      onRenewed: (result) => this.#deliver(() => this.#renewed.fire(result)),
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
    this.#receiver = receiver;
    queueMicrotask(() => {
      const kept = this.#kept ?? [];
      this.#kept = undefined;
      for (const deliver of kept) deliver();
    });
  }

  send(message: Json, hints?: SendHints): void {
    const posting: Posting = {
      body: messageText(message, hints?.parts),
      stateless: statelessHeaders(message),
      hinted: hints?.headers && inLowerCase(hints.headers),
    };
    if (this.#closing !== undefined) return;
    const exchange = new PostExchange(message, posting.stateless !== undefined);
    const target = exchange.cancels === undefined ? undefined : this.#cancel(exchange.cancels);
    if (target === 'over') return;
    if (exchange.isReply && this.#answers.isFull) {
      this.#context.log.log('debug', 'An answer was not sent: the server takes none.');
      return;
    }
    this.#session.sends(message, exchange);
    if (exchange.id !== undefined) this.#isStateless = exchange.isStateless;
    this.#exchanges.add(exchange);
    const post = (): Promise<void> => this.#post(exchange, posting);
    const posted = this.#after(target).then(() => (exchange.isReply ? this.#answers.run(post) : post()));
    if (exchange.isInitialized) this.#ready = atMost(READY_MS, posted, this.#clock);
    ignoreFailure(posted);
  }

  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#end({}));
    return this.#closing;
  }

  /** Ends the wait for a cancelled request; `over` where there is nothing that the server could be told. */
  #cancel(id: Json): PostExchange | 'over' | undefined {
    const target = [...this.#exchanges].find((other) => other.id !== undefined && other.id === id);
    if (target === undefined) return this.#isStateless ? 'over' : undefined;
    target.cancelled();
    // A stateless server takes the end of the stream for it (MCP 2026-07-28 "Cancellation"); one that asks for
    // credentials has done nothing yet.
    const isOver = target.isStateless || target.isHeld;
    if (isOver) target.abort.abort();
    else target.abortLater(this.#clock, LINGER_MS);
    return isOver ? 'over' : target;
  }

  /** Messages overtake each other on their way: some must not. */
  async #after(target: PostExchange | undefined): Promise<void> {
    await this.#ready;
    await target?.sent.promise;
  }

  async #post(exchange: PostExchange, posting: Posting): Promise<void> {
    try {
      if (exchange.id === undefined) exchange.abortLater(this.#clock, ACCEPT_MS);
      if ((await this.#attempt(exchange, posting, false)) === 'taken') return;
      await this.#session.renewed(exchange.session);
      // What needs no answer was about the session that is gone.
      if (exchange.isDone) return;
      if ((await this.#attempt(exchange, posting, true)) === 'refused') this.#session.refusedAgain();
    } catch (error) {
      this.#fail(exchange, networkFailure(error, this.#endpoint.url));
    } finally {
      exchange.end();
      this.#exchanges.delete(exchange);
    }
  }

  /** Posts what the session itself has to say. */
  #postOwn(message: Json): Promise<Json> {
    const answer = new Deferred<Json>();
    const exchange = new PostExchange(message, false, answer);
    const posting: Posting = { body: JSON.stringify(message), stateless: undefined, hinted: undefined };
    this.#exchanges.add(exchange);
    exchange.abortLater(this.#clock, RENEW_MS);
    const posted = this.#attempt(exchange, posting, true).then(
      (outcome) => {
        if (outcome === 'taken' && exchange.id === undefined) answer.resolve(null);
        else answer.reject(unanswered());
      },
      (error: unknown) => answer.reject(networkFailure(error, this.#endpoint.url)),
    );
    ignoreFailure(
      posted.finally(() => {
        exchange.end();
        this.#exchanges.delete(exchange);
      }),
    );
    return answer.promise;
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
      onHeld: (isHeld) => this.#hold(exchange, isHeld),
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
      const text = await readText(response, this.#maxReply);
      if (text.trim() !== '' && !this.#takeText(text, exchange) && !exchange.isDone) throw notMcp(text);
    }
    if (!exchange.isDone) throw unanswered();
    if (exchange.isInitialized) this.#listen();
  }

  /** Hears what the server says unasked, in the session as it is now. */
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
      this.#fail(exchange, statusFailure({ status, body, retryAfter, now: this.#clock.now() }));
    }
    return 'taken';
  }

  /** Delivers what is in a text; false where it is not JSON. */
  #takeText(text: string, exchange: PostExchange | undefined): boolean {
    const messages = parseMessages(lifted(text, this.#unread));
    if (messages === undefined) {
      this.#noise.line(`Not a message: ${shownBody(text)}`);
      return false;
    }
    for (const message of messages) {
      const isAnswer = exchange?.isAnswer(message) === true;
      if (isAnswer) {
        exchange.answered();
        exchange.abortLater(this.#clock, LINGER_MS);
      }
      if (isAnswer && exchange.own !== undefined) exchange.own.resolve(message);
      else this.#deliver(() => this.#receiver(message));
    }
    return true;
  }

  #fail(exchange: PostExchange, error: HostError): void {
    const { id, isDone, own } = exchange;
    exchange.fail(error);
    if (this.#closing !== undefined || own !== undefined) return;
    if (id === undefined)
      this.#context.log.log('warn', `${exchange.method ?? 'An answer'} was not taken: ${error.message}`);
    else if (!isDone) this.#deliver(() => this.#dropped.fire({ id, isRequest: false, error }));
  }

  #hold(exchange: PostExchange, isHeld: boolean): void {
    exchange.hold(isHeld);
    const { id } = exchange;
    if (id !== undefined && exchange.own === undefined) this.#deliver(() => this.#held.fire({ id, isHeld }));
  }

  #deliver(delivery: () => void): void {
    if (this.#kept === undefined) delivery();
    else this.#kept.push(delivery);
  }

  #closeWith(error: HostError): void {
    this.#closing ??= Promise.resolve().then(() => this.#end({ error }));
  }

  async #end(closed: TransportClosed): Promise<void> {
    this.#versions?.dispose();
    this.#noise.dispose();
    await farewellSent(this.#exchanges, this.#clock);
    this.#listening.abort();
    for (const exchange of this.#exchanges) exchange.abort.abort();
    if (this.#session.id !== undefined) await this.#leave(this.#session.id);
    this.#endpoint.close();
    this.#deliver(() => {
      this.#receiver = () => undefined;
      this.#closed.fire(closed);
      for (const emitter of [this.#closed, this.#dropped, this.#renewed, this.#held]) emitter.dispose();
    });
  }

  async #leave(session: string): Promise<void> {
    const abort = new AbortController();
    const timer = this.#clock.delay(DELETE_MS, () => abort.abort());
    try {
      await this.#endpoint.leave(session, abort.signal);
    } catch (error) {
      this.#context.log.log('debug', `The session was not ended: ${toHostError(error).message}`);
    } finally {
      timer.dispose();
    }
  }
}
