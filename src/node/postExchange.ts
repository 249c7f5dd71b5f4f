import { type Clock, Deferred, type Disposable, isJsonObject, type Json } from '../core/index.ts';

/** One POST and all that comes back for it. */
export class PostExchange {
  readonly abort = new AbortController();
  /** Settles when the request is on its way, or has failed. */
  readonly sent = new Deferred<void>();
  /** Of the request that was posted; `undefined` for what needs no answer. */
  readonly id: string | number | undefined;
  readonly method: string | undefined;
  #answered = false;
  #cancelled = false;
  #timer: Disposable | undefined;

  constructor(message: Json) {
    const { id, method } = isJsonObject(message) ? message : {};
    this.method = typeof method === 'string' ? method : undefined;
    this.id = method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
  }

  /** Nobody waits for anything more. */
  get isDone(): boolean {
    return this.id === undefined || this.#answered || this.#cancelled || this.abort.signal.aborted;
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

  /** Drops the connection after a while, for servers that leave it open when all is said. */
  abortLater(clock: Clock, ms: number): void {
    this.#timer ??= clock.delay(ms, () => this.abort.abort());
  }

  end(): void {
    this.#timer?.dispose();
    this.sent.resolve();
  }
}
