import { RpcError } from './rpcError.ts';
import { type Fields, isFields } from './schema.ts';
import type { Clock } from './systemClock.ts';

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with each `inference/chunk` of this request. */
  readonly onChunk?: ((delta: string) => void) | undefined;
}

/** Sends a request to the host. Rejects with an `RpcError` for an error and with `Unanswered` if no answer comes. */
export type Ask = (method: string, params: Fields, options: AskOptions) => Promise<unknown>;

export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly why: 'timeout' | 'cancelled' | 'ended';

  constructor(why: Unanswered['why'], message: string) {
    super(message);
    this.why = why;
  }
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onChunk: AskOptions['onChunk'];
}

/** A host that leaves this many requests open will not answer the next one either. */
const MAX_PENDING = 100;
const UNSPECIFIED = -32603;

/** The open requests of this server to its host. */
export class Outgoing {
  readonly #pending = new Map<number, Pending>();
  readonly #write: (message: object) => void;
  readonly #clock: Clock;
  #lastId = 0;

  constructor(write: (message: object) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  readonly request: Ask = (method, params, { timeoutMs, signal, onChunk }) => {
    if (signal?.aborted === true) return Promise.reject(new Unanswered('cancelled', 'It was cancelled.'));
    if (this.#pending.size >= MAX_PENDING)
      return Promise.reject(new Unanswered('timeout', 'The host has not answered earlier requests.'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const leave = (why: 'timeout' | 'cancelled', message: string): void => {
        this.#write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: message } });
        this.#pending.get(id)?.reject(new Unanswered(why, message));
      };
      const stopClock = this.#clock.delay(timeoutMs, () => leave('timeout', 'The host did not answer in time.'));
      const onAbort = (): void => leave('cancelled', 'It was cancelled.');
      signal?.addEventListener('abort', onAbort);
      const settle = (): void => {
        this.#pending.delete(id);
        stopClock();
        signal?.removeEventListener('abort', onAbort);
      };
      this.#pending.set(id, {
        onChunk,
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#write({ jsonrpc: '2.0', id, method, params });
    });
  };

  /** Settles a request. Drops an answer that matches no open request. */
  settle({ id, result, error }: Fields): void {
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending === undefined) return;
    if (isFields(error)) pending.reject(errorIn(error));
    else pending.resolve(result);
  }

  /** MCPL §11.4 */
  chunk({ requestId, delta }: Fields): void {
    if (typeof requestId !== 'number' || typeof delta !== 'string') return;
    this.#pending.get(requestId)?.onChunk?.(delta);
  }

  /** Rejects all open requests because the connection ended. */
  end(): void {
    for (const { reject } of this.#pending.values()) reject(new Unanswered('ended', 'The connection ended.'));
  }
}

function errorIn({ code, message, data }: Fields): RpcError {
  const text = typeof message === 'string' ? message : 'The host answered with an error.';
  return new RpcError(typeof code === 'number' ? code : UNSPECIFIED, text, isFields(data) ? data : undefined);
}
