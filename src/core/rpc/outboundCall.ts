import type { CancellationToken } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import type { HostError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Deadlined } from './deadlines.ts';

export interface RequestOptions {
  readonly timeoutMs: number;
  /** However much progress there is, the call ends after this. */
  readonly maxTimeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  /** Asks for progress, which starts the timeout anew, and is called with the params of each notification of it. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Has the first word on how this request fails. */
  readonly explain?: ((error: HostError) => HostError) | undefined;
}

const itself = (error: HostError): HostError => error;

/** A request of ours that waits for its answer. */
export class OutboundCall implements Deadlined {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  readonly #hardDeadline: number;
  deadline: number;
  subscription: Disposable | undefined;
  readonly resolve: (result: Json) => void;
  readonly #reject: (error: HostError) => void;
  readonly #explain: (error: HostError) => HostError;

  constructor(
    id: number,
    method: string,
    options: RequestOptions,
    now: number,
    resolve: (result: Json) => void,
    reject: (error: HostError) => void,
  ) {
    this.resolve = resolve;
    this.#reject = reject;
    this.#explain = options.explain ?? itself;
    this.id = id;
    this.method = method;
    this.options = options;
    this.#hardDeadline = now + (options.maxTimeoutMs ?? Infinity);
    this.deadline = Math.min(now + options.timeoutMs, this.#hardDeadline);
  }

  reject(error: HostError): void {
    this.#reject(this.#explain(error));
  }

  progressed(now: number, progress: JsonObject): void {
    this.deadline = Math.min(now + this.options.timeoutMs, this.#hardDeadline);
    this.options.onProgress?.(progress);
  }
}
