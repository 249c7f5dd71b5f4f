import {
  type Clock,
  Deferred,
  type Disposable,
  type HostError,
  isJsonObject,
  type Json,
  Semaphore,
} from '../../core/index.ts';

/** The end of a handshake, in the standard and in the short dialect. */
const INITIALIZED = ['notifications/initialized', 'initialized'];
/** Cancellation methods and the member with the request id, in the standard and in the short dialect. */
const CANCELS: Readonly<Record<string, string>> = { 'notifications/cancelled': 'requestId', cancel: 'id' };

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
  /** Stateless (MCP 2026-07-28): no session, and no stream to resume. */
  readonly isStateless: boolean;
  /** For the transport's own request, which is not delivered: settles with the answer. */
  readonly own: Deferred<Json> | undefined;
  /** The session in which it was posted. */
  session: string | undefined;
  #answered = false;
  #cancelled = false;
  #isHeld = false;
  #timer: Disposable | undefined;
  #limit: (() => Disposable) | undefined;

  constructor(message: Json, isStateless: boolean, own?: Deferred<Json>) {
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
  }

  cancelled(): void {
    this.#cancelled = true;
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
  abortLater(clock: Clock, ms: number): void {
    this.#timer?.dispose();
    this.#limit = () => clock.delay(ms, () => this.abort.abort());
    this.#timer = this.#limit();
  }

  end(): void {
    this.#timer?.dispose();
    this.sent.resolve();
    this.ended.resolve();
  }
}

/** Each posted answer has its own connection. A server that accepts no answers gets no more than these. */
export function answerSlots(): Semaphore {
  return new Semaphore(16, 1_000);
}

const FAREWELL_MS = 1_000;

/** Waits briefly until the last message was accepted. */
export async function farewellSent(exchanges: Iterable<PostExchange>, clock: Clock): Promise<void> {
  for (const exchange of exchanges) if (exchange.isFarewell) await atMost(FAREWELL_MS, exchange.ended.promise, clock);
}

/** Resolves with the promise, or after this time. */
export async function atMost(ms: number, promise: Promise<void>, clock: Clock): Promise<void> {
  const late = new Deferred<void>();
  const timer = clock.delay(ms, () => late.resolve());
  try {
    await Promise.race([promise, late.promise]);
  } finally {
    timer.dispose();
  }
}
