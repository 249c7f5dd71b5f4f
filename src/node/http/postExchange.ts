import {
  type Clock,
  Deferred,
  type Disposable,
  type HostError,
  isJsonObject,
  type Json,
  Semaphore,
} from '../../core/index.ts';

/** What ends a handshake: in the standard, and in the short dialect. */
const INITIALIZED = ['notifications/initialized', 'initialized'];
/** The methods that cancel a request, and the member with its id: in the standard, and in the short dialect. */
const CANCELS: Readonly<Record<string, string>> = { 'notifications/cancelled': 'requestId', cancel: 'id' };

/** One POST and all that comes back for it. */
export class PostExchange {
  readonly abort = new AbortController();
  /** Settles when the request is on its way, or has failed. */
  readonly sent = new Deferred<void>();
  /** Settles when nothing more comes back. */
  readonly ended = new Deferred<void>();
  /** Of the request that was posted; `undefined` for what needs no answer. */
  readonly id: string | number | undefined;
  readonly method: string | undefined;
  /** The request that it takes back. */
  readonly cancels: Json | undefined;
  /** It says everything of itself (MCP 2026-07-28): no session, nothing that could be taken up again. */
  readonly isStateless: boolean;
  /** The transport's own question, which nobody else hears of: settles with the answer. */
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

  /** It ends the handshake: the server takes nothing else before. */
  get isInitialized(): boolean {
    return this.id === undefined && INITIALIZED.includes(this.method ?? '');
  }

  /** The last word of the short dialect, which must arrive before the connection is closed. */
  get isFarewell(): boolean {
    return this.id === undefined && this.method === 'exit';
  }

  /** It answers what the server asked. */
  get isReply(): boolean {
    return this.id === undefined && this.method === undefined;
  }

  /** Nobody waits for anything more. */
  get isDone(): boolean {
    return this.id === undefined || this.#answered || this.#cancelled || this.abort.signal.aborted;
  }

  /** It waits for credentials: the server has not taken it. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether this is the answer. Some servers echo a number as a string. */
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

  /** A person may take as long as it takes: the time for the request begins anew after that. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#timer?.dispose();
    this.#timer = isHeld ? undefined : this.#limit?.();
  }

  /** Drops the connection after a while, for servers that leave it open when all is said. The last word counts. */
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

/** Waits until the last word was taken, though not for long. */
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
