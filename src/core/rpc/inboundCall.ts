import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { RpcId } from './messages.ts';

export interface InboundContext {
  readonly requestId: RpcId;
  readonly token: CancellationToken;
  /** The handler stores the outcome: the request is answered with it even if the server is stopped meanwhile. */
  commit?(): void;
}

/** A request of the peer that is being handled. Most handlers never look at the token, so it is made when asked for. */
export class InboundCall implements InboundContext {
  readonly requestId: RpcId;
  #source: CancellationSource | undefined;
  #isCancelled = false;
  #isCommitted = false;

  constructor(requestId: RpcId) {
    this.requestId = requestId;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get token(): CancellationToken {
    if (this.#source === undefined) {
      this.#source = new CancellationSource();
      if (this.#isCancelled) this.#source.cancel();
    }
    return this.#source.token;
  }

  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  commit(): void {
    this.#isCommitted = true;
  }

  cancel(reason?: string): void {
    this.#isCancelled = true;
    this.#source?.cancel(reason);
  }
}
