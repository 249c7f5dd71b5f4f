import {
  CancellationSource,
  type CancellationToken,
  NO_CANCELLATION,
  unlessCancelled,
  withEither,
} from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { HostError, messageOf, WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { pause } from '../base/patience.ts';
import type { InputRequest } from '../model/task.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { InputRequired } from '../wire/envelope.ts';

/** MCP 2026-07-28, "Multi Round-Trip Requests": more rounds than a well-behaved server needs. */
const MAX_ROUNDS = 10;
/** More questions than a user can answer. */
const MAX_INPUTS = 32;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

export interface InputRoundsOptions {
  readonly clock: Clock;
  /** Cancelled when the server is stopping. It then gets no answers. */
  readonly stopping: CancellationToken;
  answer(method: string, params: JsonObject, context: InboundContext): Promise<Json> | Json;
}

/** The rounds of one request: answers the server's questions and repeats the request with the answers. */
export class InputRounds {
  readonly #options: InputRoundsOptions;
  readonly #method: string;
  readonly #token: CancellationToken;
  #rounds = 0;
  #stateOnly = 0;

  constructor(method: string, token: CancellationToken | undefined, options: InputRoundsOptions) {
    this.#method = method;
    this.#token = token ?? NO_CANCELLATION;
    this.#options = options;
  }

  /** Returns the params of the next attempt. Rejects if there is none. */
  async next(params: JsonObject, required: InputRequired): Promise<JsonObject> {
    if (++this.#rounds > MAX_ROUNDS) throw this.#failed(`asked for input ${MAX_ROUNDS} times without coming to an end`);
    const entries = Object.entries(required.inputRequests);
    if (entries.length > MAX_INPUTS) throw this.#failed(`asked for ${entries.length} inputs at once`);
    if (entries.length === 0) await this.#pause();
    const answered = await withEither(this.#token, this.#options.stopping, (token) =>
      unlessCancelled(this.#answerAll(entries, token), token, this.#method),
    );
    return answeredParams(params, required, answered);
  }

  /** In parallel, because prompts queue on their own. A failure ends the others. */
  async #answerAll(
    entries: readonly (readonly [string, InputRequest])[],
    token: CancellationToken,
  ): Promise<readonly (readonly [string, Json])[]> {
    const source = new CancellationSource();
    const outer = token.onCancellationRequested(() => source.cancel());
    try {
      return await Promise.all(entries.map(async ([key, request]) => [key, await this.#answer(key, request, source)]));
    } finally {
      source.cancel();
      outer.dispose();
    }
  }

  async #answer(key: string, { method, params }: InputRequest, { token }: CancellationSource): Promise<Json> {
    try {
      return await this.#options.answer(method, params, { requestId: key, token });
    } catch (error) {
      if (error instanceof WireError)
        throw this.#failed(`asked for input (${method}) that it does not get: ${messageOf(error)}`);
      throw error;
    }
  }

  /** Delays before repeating a request without questions. */
  async #pause(): Promise<void> {
    const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#stateOnly++);
    await pause({ clock: this.#options.clock, ms, token: this.#token }, this.#method);
  }

  #failed(what: string): HostError {
    return new HostError('REMOTE_ERROR', `The server ${what}, so ${this.#method} was given up.`, {
      layer: 'protocol',
      effect: 'unknown',
      suggestion: "See the server's log.",
    });
  }
}

/** The same params with the answers of this round only. */
function answeredParams(
  params: JsonObject,
  { requestState }: InputRequired,
  answers: readonly (readonly [string, Json])[],
): JsonObject {
  const { inputResponses: _answered, requestState: _state, ...rest } = params;
  const again = answers.length === 0 ? rest : { ...rest, inputResponses: Object.fromEntries(answers) };
  // Returned byte for byte, or omitted if there was none.
  return requestState === undefined ? again : { ...again, requestState };
}
