import { Deferred } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { RPC, WireError } from '../base/errors.ts';
import type { RequestId } from './gatewayMessages.ts';

/** Each request costs memory on both sides. */
const MAX_OPEN = 1_000;

/** The work of a request. `owned` is disposed when it is answered or cancelled. */
export type Work<T> = (token: CancellationToken, owned: DisposableStore) => Promise<T>;

/** A client's slow requests. Cancelling one ends it at once. */
export class OpenRequests implements Disposable {
  readonly #sources = new Map<string, CancellationSource>();
  #isDisposed = false;

  get size(): number {
    return this.#sources.size;
  }

  /** Resolves with `undefined` if the client cancelled, which needs no answer. */
  async run<T>(id: RequestId, work: Work<T>): Promise<T | undefined> {
    const key = keyOf(id);
    if (this.#sources.has(key)) throw refused(`A call with the id ${key} is still running.`);
    if (this.#sources.size >= MAX_OPEN) throw refused(`More than ${MAX_OPEN} calls are still running.`);
    if (this.#isDisposed) throw refused('This session has ended.');
    const source = new CancellationSource();
    const cancelled = new Deferred<undefined>();
    const owned = new DisposableStore();
    owned.add(source.token.onCancellationRequested(() => cancelled.resolve(undefined)));
    owned.add(source);
    this.#sources.set(key, source);
    try {
      return await Promise.race([work(source.token, owned), cancelled.promise]);
    } finally {
      this.#sources.delete(key);
      // Cancels open questions before the answer, which ends the stream.
      owned.dispose();
    }
  }

  cancel(id: RequestId, reason: string | undefined): void {
    this.#sources.get(keyOf(id))?.cancel(reason);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const source of [...this.#sources.values()]) source.cancel('The client ended its session.');
  }
}

function refused(why: string): WireError {
  return new WireError(RPC.invalidRequest, why);
}

/** `1` and `"1"` are different ids. */
function keyOf(id: RequestId): string {
  return JSON.stringify(id);
}
