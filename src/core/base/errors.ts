import type { Json } from './json.ts';

/** The layer in which a failure occurred. */
type ErrorLayer = 'host' | 'settings' | 'process' | 'transport' | 'protocol' | 'server' | 'tool' | 'policy';

/** Whether the failed operation had an effect: an error does not mean that nothing happened. */
export type Effect = 'none' | 'applied' | 'unknown';

export type HostErrorCode =
  | 'CANCELLED'
  | 'TIMEOUT'
  | 'CONNECTION_CLOSED'
  | 'COMMAND_NOT_FOUND'
  | 'COMMAND_NOT_EXECUTABLE'
  | 'FOLDER_NOT_FOUND'
  | 'SPAWN_FAILED'
  | 'SERVER_EXITED'
  | 'CRASH_LOOP'
  | 'HANDSHAKE_FAILED'
  | 'UNSUPPORTED_VERSION'
  | 'UNSUPPORTED_TRANSPORT'
  | 'NOT_IN_REVISION'
  | 'CAPABILITY_MISSING'
  | 'SIGN_IN_REQUIRED'
  | 'SIGN_IN_FAILED'
  | 'INVALID_MESSAGE'
  | 'MESSAGE_TOO_LARGE'
  | 'INVALID_SETTINGS'
  | 'VARIABLE_UNRESOLVED'
  | 'NOT_TRUSTED'
  | 'NOT_APPROVED'
  | 'NOT_ALLOWED'
  | 'UNKNOWN_SERVER'
  | 'SERVER_NOT_RUNNING'
  | 'UNKNOWN_TOOL'
  | 'TOOL_HIDDEN'
  | 'UNKNOWN_RESOURCE'
  | 'UNKNOWN_PROMPT'
  | 'FEATURE_SET_OFF'
  | 'SCOPE_DENIED'
  | 'STATE_BLOCKED'
  | 'UNKNOWN_CHECKPOINT'
  | 'ROLLBACK_UNAVAILABLE'
  | 'NO_MODEL'
  | 'BUDGET_SPENT'
  | 'ANSWER_WITHHELD'
  | 'INVALID_ARGUMENTS'
  | 'REMOTE_ERROR'
  | 'STORAGE_FAILED'
  | 'INTERNAL';

export interface HostErrorDetails {
  readonly layer: ErrorLayer;
  /** The JSON-RPC code, if the error came over the wire. */
  readonly rpcCode?: number | undefined;
  readonly category?: string | undefined;
  /** When a retry may succeed, in milliseconds since the epoch. */
  readonly retryAt?: number | undefined;
  /** The next step for the user, in one sentence. */
  readonly suggestion?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly data?: Json | undefined;
  readonly cause?: unknown;
}

const IS_HOST_ERROR = Symbol.for('mcp-live.HostError');

/** Every failure that the host reports, from any source. */
export class HostError extends Error {
  /** Recognizes instances of copies of this class, because bundles that are loaded later contain one. */
  static override [Symbol.hasInstance](value: unknown): value is HostError {
    return typeof value === 'object' && value !== null && IS_HOST_ERROR in value;
  }

  override readonly name = 'HostError';
  readonly code: HostErrorCode;
  readonly layer: ErrorLayer;
  readonly rpcCode: number | undefined;
  readonly category: string | undefined;
  readonly retryAt: number | undefined;
  readonly suggestion: string | undefined;
  readonly effect: Effect;
  readonly data: Json | undefined;

  get [IS_HOST_ERROR](): true {
    return true;
  }

  constructor(code: HostErrorCode, message: string, details: HostErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.layer = details.layer;
    this.rpcCode = details.rpcCode;
    this.category = details.category;
    this.retryAt = details.retryAt;
    this.suggestion = details.suggestion;
    this.effect = details.effect ?? 'unknown';
    this.data = details.data;
  }
}

const IS_WIRE_ERROR = Symbol.for('mcp-live.WireError');

/** Thrown by handlers to answer a request of the peer with this JSON-RPC error. */
export class WireError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is WireError {
    return typeof value === 'object' && value !== null && IS_WIRE_ERROR in value;
  }

  override readonly name = 'WireError';
  readonly code: number;
  readonly data: Json | undefined;

  get [IS_WIRE_ERROR](): true {
    return true;
  }

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** JSON-RPC 2.0 §5.1. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** The error for a method without a handler. */
export function methodNotFound(method: string): WireError {
  return new WireError(RPC.methodNotFound, `Method not found: ${method}`);
}

export function isHostError(error: unknown, ...codes: readonly HostErrorCode[]): error is HostError {
  return error instanceof HostError && (codes.length === 0 || codes.includes(error.code));
}

export function isCancellation(error: unknown): boolean {
  return isHostError(error, 'CANCELLED');
}

export function cancelled(what: string): HostError {
  return new HostError('CANCELLED', `${what} was cancelled.`, { layer: 'host' });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same error, with `clean` applied to every text that a user, a model or a log may see. */
export function redactError(error: HostError, clean: (text: string) => string): HostError {
  const suggestion = error.suggestion === undefined ? undefined : clean(error.suggestion);
  const all = [error.message, error.suggestion, JSON.stringify(error.data), causeText(error.cause)];
  if (all.every((text) => text === undefined || clean(text) === text)) return error;
  const { layer, rpcCode, category, retryAt, effect } = error;
  // Omits the cause and the data, because both may contain the text too.
  return new HostError(error.code, clean(error.message), { layer, rpcCode, category, retryAt, effect, suggestion });
}

/** The texts of a cause and of its own causes. */
function causeText(cause: unknown): string | undefined {
  const texts: string[] = [];
  let at = cause;
  for (let depth = 0; at !== undefined && depth < 8; depth++) {
    texts.push(messageOf(at));
    if (at instanceof HostError) texts.push(JSON.stringify(at.data) ?? '');
    at = at instanceof Error ? at.cause : undefined;
  }
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** Converts any thrown value, so that callers handle only one type. */
export function toHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  return new HostError('INTERNAL', messageOf(error), { layer: 'host', cause: error });
}

/** For the default branch of a switch over a union: a missing case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`);
}
