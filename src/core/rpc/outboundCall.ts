import type { CancellationToken } from '../base/cancellation.ts';
import { type Clock, secondsText } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { HostError, messageOf } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ReadyParts } from './messages.ts';

/** An item with a deadline. */
interface Deadlined {
  /** Milliseconds since the epoch. May be changed at any time. */
  deadline: number;
}

/**
 * One timer for any number of deadlines, set for the earliest. A call then costs one comparison; a timer for each would
 * be most of the cost of a short call.
 */
export class Deadlines<T extends Deadlined> implements Disposable {
  readonly #clock: Clock;
  readonly #all: () => Iterable<T>;
  readonly #expired: (item: T) => void;
  #timer: Disposable | undefined;
  #due = Infinity;

  constructor(clock: Clock, all: () => Iterable<T>, expired: (item: T) => void) {
    this.#clock = clock;
    this.#all = all;
    this.#expired = expired;
  }

  /** Call this for a new or earlier deadline. A later one needs no call. */
  watch(deadline: number): void {
    if (deadline >= this.#due) return;
    this.#timer?.dispose();
    this.#due = deadline;
    this.#timer = this.#clock.delay(Math.max(0, deadline - this.#clock.now()), () => this.#sweep());
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#due = Infinity;
  }

  #sweep(): void {
    this.dispose();
    const now = this.#clock.now();
    let earliest = Infinity;
    const over: T[] = [];
    for (const item of this.#all()) {
      if (item.deadline <= now) over.push(item);
      else if (item.deadline < earliest) earliest = item.deadline;
    }
    if (earliest !== Infinity) this.watch(earliest);
    for (const item of over) this.#expired(item);
  }
}

interface Numbered {
  readonly id: number;
}

const FEWEST = 64;

/**
 * The requests that wait for their answer, by id. Ids rise by one, so a request's slot is its id modulo the size. With
 * a `Map` a call takes 4.6 instead of 3.1 µs of CPU (64 in flight): entries that come and go chain the map's old tables,
 * which keeps finished requests alive until the next full garbage collection.
 */
export class CallTable<T extends Numbered> {
  #slots: (T | undefined)[] = new Array<T | undefined>(FEWEST).fill(undefined);

  get(id: number): T | undefined {
    const found = this.#slots[id & (this.#slots.length - 1)];
    return found?.id === id ? found : undefined;
  }

  add(item: T): void {
    while (this.#slots[item.id & (this.#slots.length - 1)] !== undefined) this.#grow();
    this.#slots[item.id & (this.#slots.length - 1)] = item;
  }

  /** Removes it and returns it. */
  take(id: number): T | undefined {
    const slot = id & (this.#slots.length - 1);
    const found = this.#slots[slot];
    if (found?.id !== id) return undefined;
    this.#slots[slot] = undefined;
    return found;
  }

  /** In the order of their ids, except those that were added while others waited long. */
  *values(): Generator<T> {
    for (const item of this.#slots) if (item !== undefined) yield item;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Array<T | undefined>(before.length * 2).fill(undefined);
    for (const item of before) if (item !== undefined) this.#slots[item.id & (this.#slots.length - 1)] = item;
  }
}

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
