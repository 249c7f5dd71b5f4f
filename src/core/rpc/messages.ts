import { RPC } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { lengthOf } from '../base/unreadJson.ts';

export type RpcId = number | string;

/** A message by kind. Tolerates a missing `jsonrpc` member and unknown members. */
export type Classified =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: Json | undefined }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Json | undefined }
  | { readonly kind: 'result'; readonly id: RpcId; readonly result: Json }
  | { readonly kind: 'error'; readonly id: RpcId; readonly error: RemoteFailure }
  | { readonly kind: 'ignored'; readonly why: string };

export interface RemoteFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: Json | undefined;
}

export function classify(message: Json): Classified {
  if (!isJsonObject(message)) return { kind: 'ignored', why: 'a message that is no object' };
  const { id, method } = message;
  if (typeof method === 'string') {
    if (typeof id === 'number' || typeof id === 'string')
      return { kind: 'request', id, method, params: message['params'] };
    // JSON-RPC 1.0 sends notifications with `id: null`.
    if (id === undefined || id === null) return { kind: 'notification', method, params: message['params'] };
    return { kind: 'ignored', why: 'a request whose id is neither a number nor a string' };
  }
  if (method !== undefined) return { kind: 'ignored', why: 'a message whose method is no string' };
  return classifyAnswer(message);
}

function classifyAnswer(message: JsonObject): Classified {
  const { id, error, result } = message;
  const failure = error === undefined || error === null ? undefined : decodeFailure(error);
  if (typeof id !== 'number' && typeof id !== 'string') {
    const what = failure === undefined ? 'an answer without an id' : `an error without an id: ${failure.message}`;
    return { kind: 'ignored', why: what };
  }
  if (failure !== undefined) return { kind: 'error', id, error: failure };
  if (result !== undefined) return { kind: 'result', id, result };
  const empty = { code: RPC.invalidRequest, message: 'The answer has neither a result nor an error.' };
  return { kind: 'error', id, error: empty };
}

function decodeFailure(error: Json): RemoteFailure {
  if (!isJsonObject(error)) {
    return { code: RPC.internalError, message: typeof error === 'string' ? error : JSON.stringify(error) };
  }
  const { code, message, data } = error;
  return {
    code: typeof code === 'number' ? code : RPC.internalError,
    message: typeof message === 'string' ? message : 'The server gave no message.',
    data,
  };
}

/** Own ids are integers. Some servers echo them as strings. */
export function ownId(id: RpcId): number | undefined {
  if (typeof id === 'number') return id;
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined;
}

/** Members of params that are already JSON text, so that large values are not serialized for each message. */
export type ReadyParts = Readonly<Record<string, string>>;

/** Serializes a message. Ready members come after the other params. */
export function messageText(message: Json, parts?: ReadyParts): string {
  if (parts === undefined || !isJsonObject(message)) return JSON.stringify(message);
  const { params, ...rest } = message;
  const own = JSON.stringify(isJsonObject(params) ? params : {});
  const members = [...(own === '{}' ? [] : [own.slice(1, -1)]), ...membersOf(parts)];
  const opened = JSON.stringify(rest).slice(0, -1);
  return `${opened}${opened === '{' ? '' : ','}"params":{${members.join(',')}}}`;
}

/** The message for a trace, with the length of each ready member. */
export function withoutParts(message: Json, parts: ReadyParts): Json {
  if (!isJsonObject(message)) return message;
  const { params, ...rest } = message;
  const lengths = Object.entries(parts).map(([name, text]) => [name, lengthOf(text)] as const);
  return { ...rest, params: { ...(isJsonObject(params) ? params : {}), ...Object.fromEntries(lengths) } };
}

function membersOf(parts: ReadyParts): readonly string[] {
  return Object.entries(parts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
}
