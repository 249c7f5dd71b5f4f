import { CancellationSource, type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { isHostError, RPC } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import { pause } from '../base/patience.ts';
import type { Completion, CompletionRequest } from '../model/completion.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeCompletion, encodeCompletion } from '../wire/completionMessages.ts';
import { valueOf } from './decodedValue.ts';

interface CompletionsOptions {
  readonly clock: Clock;
  requestTimeoutMs(): number;
}

export interface CompletionOptions {
  readonly token?: CancellationToken | undefined;
  /** The input that asks, chosen by the caller. A newer request of the same input replaces the earlier one. */
  readonly asker?: string | undefined;
}

/** Users type faster than this. Values in between need no request. */
const DEBOUNCE_MS = 150;
const NOTHING: Completion = { values: [], total: undefined, hasMore: false };

/** Completion of prompt arguments and template variables while the user types. */
export class Completions implements SessionFeature {
  readonly #options: CompletionsOptions;
  readonly #asked = new Map<string, CancellationSource>();
  #session: Session | undefined;
  /** The server turned out not to support the request. */
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

  /** Whether a request can succeed. */
  get isOffered(): boolean {
    return this.#session !== undefined && !this.#isUnknown && completes(this.#session);
  }

  /**
   * The proposals of the server. Empty if it does not complete. Rejects with a `HostError`: CANCELLED if the same input
   * asked again meanwhile.
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
      await pause({ clock: this.#options.clock, ms: DEBOUNCE_MS, token: asked.token }, 'The completion');
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
}

function completes({ handshake: { capabilities }, codec }: Session): boolean {
  if (isJsonObject(capabilities['completions'])) return true;
  // Before MCP 2025-03-26, no capability declared completion.
  if (codec.traits.completionsCapability || codec.lacks('completion/complete', 'toServer')) return false;
  return isJsonObject(capabilities['prompts']) || isJsonObject(capabilities['resources']);
}
