import type { CancellationToken } from '../base/cancellation.ts';
import { secondsText } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { HostError, messageOf } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Deadlined } from './deadlines.ts';
import type { ReadyParts } from './messageText.ts';

export interface RequestOptions {
  readonly timeoutMs: number;
  /** The maximum duration, whatever progress is reported. */
  readonly maxTimeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  /** Used by transports with headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Params that are already JSON text. */
  readonly parts?: ReadyParts | undefined;
  /** Called with the id of the request before any answer can arrive. */
  onSent?(id: number): void;
  /** Requests progress. Called with the params of each notification, which restarts the timeout. */
  onProgress?(progress: JsonObject): void;
  /** The error if there is no answer within `ms`, or, with `isWhole`, no end within `maxTimeoutMs`. */
  timeoutError?(ms: number, isWhole: boolean): HostError;
}

/**
 * An outgoing request that waits for its answer. Creates no closures, because calls are many and allocations are most
 * of their cost.
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

  /** The error for an expired timeout: the one for an answer, or the total one, which progress does not extend. */
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

  /** Excludes time from the timeouts. */
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

  /** Restarts the timeout. Returns false if the hard deadline has passed. */
  prolong(now: number): boolean {
    this.deadline = Math.min(now + this.options.timeoutMs, this.#hardDeadline);
    return this.deadline > now;
  }

  /** Only on request, because a server must not extend a start or a list with progress. */
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

/** A call with any result type. */
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
