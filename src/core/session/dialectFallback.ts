import { type HostError, isHostError, RPC } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { standardToolResult, toolFailure } from './dialectResults.ts';

type Decode<T> = (result: Json) => T;

/**
 * Servers exist that begin as the standard says and then know the dialect's `tools/invoke` only. One for each session;
 * once it was right, it asks for that at once.
 */
export class InvokeFallback {
  #invokes = false;

  /** The server was seen to need it. */
  get isNeeded(): boolean {
    return this.#invokes;
  }

  /** Calls a tool. `ask` sends a request and decodes its result. */
  async call<T>(
    params: JsonObject,
    decode: Decode<T>,
    ask: (method: string, params: JsonObject, decode: Decode<T>) => Promise<T>,
  ): Promise<T> {
    let unknown: HostError | undefined;
    if (!this.#invokes) {
      try {
        return await ask('tools/call', params, decode);
      } catch (error) {
        if (!isUnknownMethod(error)) throw error;
        unknown = error;
      }
    }
    return this.#invoke(params, decode, ask, unknown);
  }

  async #invoke<T>(
    { name, arguments: given = {} }: JsonObject,
    decode: Decode<T>,
    ask: (method: string, params: JsonObject, decode: Decode<T>) => Promise<T>,
    unknown: HostError | undefined,
  ): Promise<T> {
    try {
      const answer = await ask('tools/invoke', { name, arguments: given }, (result) =>
        decode(standardToolResult(result)),
      );
      this.#invokes = true;
      return answer;
    } catch (error) {
      // Neither is known: what the standard's own request met is the failure to tell.
      if (unknown !== undefined && isUnknownMethod(error)) throw unknown;
      const failure = isHostError(error, 'REMOTE_ERROR')
        ? toolFailure({ code: error.rpcCode ?? 0, message: error.message })
        : undefined;
      if (failure === undefined) throw error;
      this.#invokes = true;
      return decode(failure);
    }
  }
}

function isUnknownMethod(error: unknown): error is HostError {
  return isHostError(error, 'REMOTE_ERROR') && error.rpcCode === RPC.methodNotFound;
}
