import { type HostError, isHostError, RPC } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { standardToolResult, toolFailure } from './dialectResults.ts';

type Decode<T> = (result: Json) => T;

/**
 * For servers that start with the standard but only know the dialect's `tools/invoke`. One per session; after a success
 * it is used at once.
 */
export class InvokeFallback {
  #invokes = false;

  /** Whether the server needs it. */
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
      // Neither method is known, so report the failure of the standard one.
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
