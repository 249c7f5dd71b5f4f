import {
  type Clock,
  Deferred,
  type Disposable,
  type HostError,
  ignoreFailure,
  isJsonObject,
  type Json,
  Semaphore,
  waitFor,
} from '../../core/index.ts';
import { networkFailure } from './httpFailure.ts';
import type { RemoteServer } from './remoteServer.ts';

/** Time for the server to accept a message that needs no answer. */
const ACCEPT_MS = 30_000;
/** Nothing is sent before the server accepted `initialized`, unless it takes longer than this. */
const READY_MS = 10_000;
/** Closes a POST that stays open after its answer or its cancellation. */
const LINGER_MS = 2_000;
/** Time for the server to accept the last message. */
const FAREWELL_MS = 1_000;

/** The end of a handshake, in the standard and in the short dialect. */
const INITIALIZED = ['notifications/initialized', 'initialized'];
/** Cancellation methods and the member with the request id, in the standard and in the short dialect. */
const CANCELS: Readonly<Record<string, string>> = { 'notifications/cancelled': 'requestId', cancel: 'id' };

interface ExchangeOptions {
  /** Stateless (MCP 2026-07-28): no session, and no stream to resume. */
  readonly isStateless?: boolean | undefined;
  /** For the transport's own request, which is not delivered: settles with the answer. */
  readonly own?: Deferred<Json> | undefined;
}

/** One POST with its replies. */
export class PostExchange {
  readonly abort = new AbortController();
  /** Settles once the request was sent or failed. */
  readonly sent = new Deferred<void>();
  /** Settles after the last reply. */
  readonly ended = new Deferred<void>();
  /** The id of the request. `undefined` if it needs no answer. */
  readonly id: string | number | undefined;
  readonly method: string | undefined;
  /** The id of the cancelled request. */
  readonly cancels: Json | undefined;
  readonly isStateless: boolean;
  readonly own: Deferred<Json> | undefined;
  /** The session in which it was posted. */
  session: string | undefined;
  readonly #clock: Clock;
  #answered = false;
  #cancelled = false;
  #isHeld = false;
  #timer: Disposable | undefined;
  #limit: (() => Disposable) | undefined;

  constructor(message: Json, clock: Clock, { isStateless = false, own }: ExchangeOptions = {}) {
    this.#clock = clock;
    const { id, method, params } = isJsonObject(message) ? message : {};
    this.method = typeof method === 'string' ? method : undefined;
    this.id = method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
    const member = this.id === undefined ? CANCELS[this.method ?? ''] : undefined;
    if (member !== undefined && isJsonObject(params)) this.cancels = params[member];
    this.isStateless = isStateless;
    this.own = own;
  }

  /** Whether it ends the handshake. The server accepts nothing else before. */
  get isInitialized(): boolean {
    return this.id === undefined && INITIALIZED.includes(this.method ?? '');
  }

  /** The last message of the short dialect, which must arrive before the connection closes. */
  get isFarewell(): boolean {
    return this.id === undefined && this.method === 'exit';
  }

  /** Whether it answers a request of the server. */
  get isReply(): boolean {
    return this.id === undefined && this.method === undefined;
  }

  /** Whether nothing more is expected. */
  get isDone(): boolean {
    return this.id === undefined || this.#answered || this.#cancelled || this.abort.signal.aborted;
  }

  /** Whether it waits for credentials, so the server has not accepted it. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether this is the answer. Some servers echo a numeric id as a string. */
  isAnswer(message: Json): boolean {
    if (this.id === undefined || !isJsonObject(message) || message['method'] !== undefined) return false;
    const { id } = message;
    return id === this.id || (typeof id === 'string' && id === String(this.id));
  }

  answered(): void {
    this.#answered = true;
    this.abortLater(LINGER_MS);
  }

  cancelled(): void {
    this.#cancelled = true;
    this.abortLater(LINGER_MS);
  }

  fail(error: HostError): void {
    this.#answered = true;
    this.own?.reject(error);
  }

  /** The user may take any time. The time of the request starts again afterwards. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#timer?.dispose();
    this.#timer = isHeld ? undefined : this.#limit?.();
  }

  /** Closes the connection after a delay, for servers that leave it open. A later call replaces the delay. */
  abortLater(ms: number): void {
    this.#timer?.dispose();
    this.#limit = () => this.#clock.delay(ms, () => this.abort.abort());
    this.#timer = this.#limit();
  }

  end(): void {
    this.#timer?.dispose();
    this.sent.resolve();
    this.ended.resolve();
  }
}

/**
 * The messages of a transport that posts each of them. They may overtake each other, but none may overtake the end of a
 * handshake or a new session.
 */
export class PostQueue {
  readonly #server: RemoteServer;
  readonly #isClosing: () => boolean;
  readonly #open = new Set<PostExchange>();
  /** Each posted answer has its own connection. A server that accepts no answers gets no more than these. */
  readonly #answers = new Semaphore(16, 1_000);
  #ready: Promise<void> = Promise.resolve();

  constructor(server: RemoteServer, isClosing: () => boolean) {
    this.#server = server;
    this.#isClosing = isClosing;
  }

  /** The messages that are waiting, or whose POST has not ended. */
  get open(): Iterable<PostExchange> {
    return this.#open;
  }

  /** The request with this id. */
  find(id: Json): PostExchange | undefined {
    return [...this.#open].find((exchange) => exchange.id !== undefined && exchange.id === id);
  }

  /** Later messages wait for the promise, which must not reject. */
  holdUntil(ready: Promise<void>): void {
    this.#ready = ready;
  }

  /** Posts a message when `due` has resolved. */
  send(exchange: PostExchange, post: () => Promise<void>, due: () => Promise<void> | undefined): void {
    if (exchange.isReply && this.#answers.isFull) {
      this.#server.context.log.log('debug', 'An answer was not sent: the server takes none.');
      return;
    }
    this.#open.add(exchange);
    const run = (): Promise<void> => this.#post(exchange, post);
    const posted = this.#ready.then(due).then(() => (exchange.isReply ? this.#answers.run(run) : run()));
    if (exchange.isInitialized) this.#ready = this.#atMost(READY_MS, posted);
    ignoreFailure(posted);
  }

  /** Posts a message ahead of the waiting ones. */
  sendNow(exchange: PostExchange, post: () => Promise<void>): void {
    this.#open.add(exchange);
    ignoreFailure(this.#post(exchange, post));
  }

  /** Reports a message that the server did not accept. */
  fail(exchange: PostExchange, error: HostError): void {
    const { id, method, isDone, own } = exchange;
    exchange.fail(error);
    if (this.#isClosing() || own !== undefined) return;
    const { context, delivery } = this.#server;
    if (id === undefined) context.log.log('warn', `${method ?? 'An answer'} was not taken: ${error.message}`);
    else if (!isDone) delivery.drop({ id, isRequest: false, error });
  }

  /** Waits briefly until the last message was accepted. */
  async farewell(): Promise<void> {
    for (const exchange of this.#open) if (exchange.isFarewell) await this.#atMost(FAREWELL_MS, exchange.ended.promise);
  }

  abort(): void {
    for (const exchange of this.#open) exchange.abort.abort();
  }

  async #atMost(ms: number, promise: Promise<void>): Promise<void> {
    await waitFor(promise, { clock: this.#server.clock, ms });
  }

  async #post(exchange: PostExchange, post: () => Promise<void>): Promise<void> {
    try {
      if (exchange.id === undefined) exchange.abortLater(ACCEPT_MS);
      await post();
    } catch (error) {
      this.fail(exchange, networkFailure(error, this.#server.url));
    } finally {
      exchange.end();
      this.#open.delete(exchange);
    }
  }
}
