import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { RemoteFailure } from '../rpc/messages.ts';
import { offeredVersions, UNSUPPORTED_VERSION } from '../wire/handshake.ts';
import { DIALECT_REVISION } from './dialectResults.ts';

export type InitializeAnswer =
  { readonly kind: 'result'; readonly result: Json } | { readonly kind: 'error'; readonly error: RemoteFailure };

interface DialectQuestion {
  readonly setting: 'auto' | 'off' | 'force';
  /** The dialect of the last request. */
  readonly asked: 'standard' | 'dialect';
}

/** What the answer to `initialize` says about the dialect. `failed` lets the standard path report the error. */
type DialectVerdict = 'standard' | 'dialect' | 'askAgain' | 'failed';

const INVALID_PARAMS = -32602;
/** The dialect's servers use their own error codes from here on. */
const FIRST_OWN_CODE = 1_000;
/** Only a server of the dialect reports these as missing. */
const OWN_WORDS = /mcpVersion|clientCapabilities/i;

export function judgeInitialize(answer: InitializeAnswer, question: DialectQuestion): DialectVerdict {
  return answer.kind === 'result' ? judgeResult(answer.result, question) : judgeError(answer.error, question);
}

/** The dialect's params of `initialize`. MCPL is never offered in it. */
export function dialectInitializeParams(): JsonObject {
  return {
    mcpVersion: DIALECT_REVISION,
    clientCapabilities: { supportsProgress: true, supportsCancellation: true },
  };
}

function judgeResult(result: Json, { setting }: DialectQuestion): DialectVerdict {
  if (!isJsonObject(result)) return 'failed';
  if (typeof result['protocolVersion'] === 'string') return 'standard';
  if (setting === 'off') return 'failed';
  const isKnown = isJsonObject(result['serverCapabilities']) || result['server'] !== undefined;
  return isKnown || setting === 'force' ? 'dialect' : 'failed';
}

function judgeError({ code, message, data }: RemoteFailure, { setting, asked }: DialectQuestion): DialectVerdict {
  if (setting === 'off' || asked === 'dialect' || code === UNSUPPORTED_VERSION) return 'failed';
  // The standard's own refusal: another version is offered.
  if (offeredVersions(data).length > 0) return 'failed';
  const isMissed = code === INVALID_PARAMS || code >= FIRST_OWN_CODE || OWN_WORDS.test(message);
  return isMissed || setting === 'force' ? 'askAgain' : 'failed';
}
