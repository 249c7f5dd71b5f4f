import type { CancellationToken } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import type { HostError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Deadlined } from './deadlines.ts';
import type { RpcId } from './messages.ts';

export interface RequestOptions {
  readonly timeoutMs: number;
  /** However much progress there is, the call ends after this. */
  readonly maxTimeoutMs?: number | undefined;
  readonly token?: CancellationToken | undefined;
  /** The token that the caller put into `params._meta`. Unique among the calls in flight. */
  readonly progressToken?: RpcId | undefined;
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Whether progress starts the timeout anew. True where it is not said. */
  readonly resetOnProgress?: boolean | undefined;
}

/** A request of ours that waits for its answer. */
export class OutboundCall implements Deadlined {
  readonly id: number;
  readonly method: string;
  readonly options: RequestOptions;
  readonly #hardDeadline: number;
  deadline: number;
  subscription: Disposable | undefined;
  /** Why the call failed, where that was decided here and not by the peer. */
  failure: HostError | undefined;

  constructor(id: number, method: string, options: RequestOptions, now: number) {
    this.id = id;
    this.method = method;
    this.options = options;
    this.#hardDeadline = now + (options.maxTimeoutMs ?? Infinity);
    this.deadline = Math.min(now + options.timeoutMs, this.#hardDeadline);
  }

  progressed(now: number, progress: JsonObject): void {
    if (this.options.resetOnProgress !== false) {
      this.deadline = Math.min(now + this.options.timeoutMs, this.#hardDeadline);
    }
    this.options.onProgress?.(progress);
  }
}
