import { DEFAULT_TIMEOUTS } from '../model/server.ts';
import type { CallOptions } from '../hostTypes.ts';
import type { SessionRequest } from '../session/session.ts';
import { decodeProgress } from '../wire/tools.ts';
import type { ServerUnit } from './serverUnit.ts';

/** A stateless server may ask a person in between: these take as long as a call. */
export function requestOf({ definition }: ServerUnit, { token, onProgress }: CallOptions): SessionRequest {
  const { call, callMax } = definition?.timeouts ?? DEFAULT_TIMEOUTS;
  const request = { timeoutMs: call * 1000, maxTimeoutMs: callMax * 1000, token };
  if (onProgress === undefined) return request;
  return { ...request, onProgress: (params) => onProgress(decodeProgress(params)) };
}
