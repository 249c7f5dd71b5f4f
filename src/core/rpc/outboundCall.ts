import type { CancellationToken } from '../base/cancellation.ts';
import { secondsText } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { HostError, messageOf } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Deadlined } from './deadlines.ts';
import type { ReadyParts } from './messageText.ts';

export interface RequestOptions {
  readonly timeoutMs: number;
  /** However much progress there is, the call ends after this. */
  readonly maxTimeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  /** For a transport that has a place for them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Params that are text already. */
  readonly parts?: ReadyParts | undefined;
  /** Told of the id under which the request goes out, before anything can come back for it. */
  onSent?(id: number): void;
  /** Asks for progress, which starts the timeout anew, and is called with the params of each notification of it. */
  onProgress?(progress: JsonObject): void;
  /** The error if there is no answer within `ms`, or, with `isWhole`, no end within `maxTimeoutMs`. */
  timeoutError?(ms: number, isWhole: boolean): HostError;
}

/**
 * A request of ours that waits for its answer. It makes no function of its own, because calls are many, and what each
 * makes is most of what it costs.
 */
export class OutboundCall<T> implements Deadlined {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  readonly startedAt: number;
  #hardDeadline: number;
  readonly #decode: (result: Json) => T;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: HostError) => void;
  deadline: number;
  subscription: Disposable | undefined;

  constructor(
    { id, method, options, now, decode }: CallSetup<T>,
    resolve: (value: T) => void,
    reject: (error: HostError) => void,
  ) {
    this.id = id;
    this.method = method;
    this.options = options;
    this.startedAt = now;
    this.#decode = decode;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#hardDeadline = now + (options.maxTimeoutMs ?? Infinity);
    this.deadline = Math.min(now + options.timeoutMs, this.#hardDeadline);
  }

  /** Names the time that ran out: the one for an answer, or the whole one, which no progress prolongs. */
  tookTooLong(): HostError {
    const { timeoutMs, maxTimeoutMs } = this.options;
    const isWhole = maxTimeoutMs !== undefined && this.deadline === this.#hardDeadline;
    const ms = isWhole ? maxTimeoutMs : timeoutMs;
    if (this.options.timeoutError !== undefined) return this.options.timeoutError(ms, isWhole);
    const what = isWhole ? 'finish' : 'answer';
    return new HostError('TIMEOUT', `The server did not ${what} ${this.method} within ${secondsText(ms)}.`, {
      layer: 'transport',
      data: { timeoutMs: ms, isWhole },
      suggestion: 'Try again, or allow more time in the settings.',
    });
  }

  /** So much time did not count. */
  postpone(ms: number): void {
    this.deadline += ms;
    this.#hardDeadline += ms;
  }

  resolve(result: Json): void {
    let value: T;
    try {
      value = this.#decode(result);
    } catch (error) {
      this.reject(undecodable(this.method, error));
      return;
    }
    this.#resolve(value);
  }

  reject(error: HostError): void {
    this.#reject(error);
  }

  /** Starts the time anew; false where the hard deadline is over all the same. */
  prolong(now: number): boolean {
    this.deadline = Math.min(now + this.options.timeoutMs, this.#hardDeadline);
    return this.deadline > now;
  }

  /** Only where it was asked for: a server must not keep a start or a list open for ever by it. */
  progressed(now: number, progress: JsonObject): void {
    if (this.options.onProgress === undefined) return;
    this.prolong(now);
    this.options.onProgress(progress);
  }
}

interface CallSetup<T> {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  readonly now: number;
  readonly decode: (result: Json) => T;
}

/** A call whatever its result is. */
export type AnyCall = Pick<
  OutboundCall<unknown>,
  | 'id'
  | 'method'
  | 'options'
  | 'startedAt'
  | 'deadline'
  | 'tookTooLong'
  | 'subscription'
  | 'resolve'
  | 'reject'
  | 'progressed'
  | 'postpone'
  | 'prolong'
>;

function undecodable(method: string, cause: unknown): HostError {
  return new HostError('INVALID_MESSAGE', `The answer to ${method} cannot be read: ${messageOf(cause)}`, {
    layer: 'protocol',
    suggestion: "See the server's log.",
    cause,
  });
}
