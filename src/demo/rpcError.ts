import type { Fields } from './schema.ts';

/** A JSON-RPC error. Handlers throw it as their answer; requests reject with it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: Fields | undefined;

  constructor(code: number, message: string, data?: Fields) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** MCPL §A */
export const NOT_ENABLED = -32001;
export const UNKNOWN_SET = -32003;
export const CHECKPOINT_NOT_FOUND = -32005;
