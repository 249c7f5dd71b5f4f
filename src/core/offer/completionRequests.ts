import { Deferred } from '../base/async.ts';
import { CancellationSource, type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { cancelled, isHostError, RPC } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import type { Completion, CompletionRequest } from '../model/completion.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeCompletion, encodeCompletion } from '../wire/completionMessages.ts';
import { valueOf } from './decodedValue.ts';

export interface CompletionsOptions {
  readonly clock: Clock;
  requestTimeoutMs(): number;
}

export interface CompletionOptions {
  readonly token?: CancellationToken | undefined;
  /** Whoever fills in the value, in words of the caller's: a newer question of the same one overtakes the one before. */
  readonly asker?: string | undefined;
}

/** A person types faster than this; what was typed in between is not worth a question. */
const DEBOUNCE_MS = 150;
const NOTHING: Completion = { values: [], total: undefined, hasMore: false };

/** What a server proposes for an argument of a prompt or a variable of a template, while a person types it. */
export class Completions implements SessionFeature {
  readonly #options: CompletionsOptions;
  readonly #asked = new Map<string, CancellationSource>();
  #session: Session | undefined;
  /** It turned out that the server knows no such request. */
  #isUnknown = false;

  constructor(options: CompletionsOptions) {
    this.#options = options;
  }

  started(session: Session): Disposable {
    this.#session = session;
    this.#isUnknown = false;
    return toDisposable(() => {
      if (this.#session === session) this.#session = undefined;
      for (const asked of [...this.#asked.values()]) asked.cancel();
    });
  }

  /** Whether asking makes sense at all. */
  get isOffered(): boolean {
    return this.#session !== undefined && !this.#isUnknown && completes(this.#session);
  }

  /**
   * The proposals of the server; empty if it does not complete. Rejects with a `HostError`: CANCELLED when the same
   * caller asked again meanwhile.
   */
  async complete(request: CompletionRequest, options: CompletionOptions = {}): Promise<Completion> {
    if (!this.isOffered) return NOTHING;
    const { reference, argument } = request;
    const field = JSON.stringify([options.asker ?? '', reference, argument.name]);
    this.#asked.get(field)?.cancel('Something newer is asked.');
    const asked = new CancellationSource();
    this.#asked.set(field, asked);
    const cancels = (options.token ?? NO_CANCELLATION).onCancellationRequested(() => asked.cancel());
    try {
      await this.#pause(asked.token);
      return await this.#ask(request, asked.token);
    } finally {
      cancels.dispose();
      asked.dispose();
      if (this.#asked.get(field) === asked) this.#asked.delete(field);
    }
  }

  async #ask(request: CompletionRequest, token: CancellationToken): Promise<Completion> {
    const session = this.#session;
    if (session === undefined || !this.isOffered) return NOTHING;
    const params = encodeCompletion(request, { context: session.codec.traits.completionContext });
    try {
      return await session.decoded(
        'completion/complete',
        params,
        { timeoutMs: this.#options.requestTimeoutMs(), token },
        (result) => valueOf(decodeCompletion(result)),
      );
    } catch (error) {
      if (!isHostError(error, 'REMOTE_ERROR') || error.rpcCode !== RPC.methodNotFound) throw error;
      if (this.#session === session) this.#isUnknown = true;
      return NOTHING;
    }
  }

  async #pause(token: CancellationToken): Promise<void> {
    const over = new Deferred<void>();
    const store = new DisposableStore();
    store.add(this.#options.clock.delay(DEBOUNCE_MS, () => over.resolve()));
    store.add(token.onCancellationRequested(() => over.reject(cancelled('The completion'))));
    try {
      await over.promise;
    } finally {
      store.dispose();
    }
  }
}

function completes({ handshake: { capabilities }, codec }: Session): boolean {
  if (isJsonObject(capabilities['completions'])) return true;
  // Before MCP 2025-03-26 there was no word for it.
  if (codec.traits.completionsCapability || codec.lacks('completion/complete', 'toServer')) return false;
  return isJsonObject(capabilities['prompts']) || isJsonObject(capabilities['resources']);
}
