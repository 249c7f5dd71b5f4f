import { type HostError, RPC, WireError } from '../base/errors.ts';

/** MCP "Resources", up to 2025-11-25, the newest version for clients here. */
const RESOURCE_NOT_FOUND = -32002;

/** Failures of prompts and resources become protocol errors with the next step, because no model reads them. */
export function protocolError(error: HostError): WireError {
  switch (error.code) {
    case 'REMOTE_ERROR':
      return new WireError(error.rpcCode ?? RPC.internalError, error.message, error.data);
    case 'UNKNOWN_PROMPT':
    case 'INVALID_ARGUMENTS':
      return new WireError(RPC.invalidParams, error.message, error.data);
    case 'UNKNOWN_RESOURCE':
      return new WireError(RESOURCE_NOT_FOUND, error.message, error.data);
    case 'CAPABILITY_MISSING':
    case 'NOT_IN_REVISION':
      return new WireError(RPC.methodNotFound, error.message);
    default:
      return new WireError(RPC.internalError, withNextStep(error));
  }
}

/** Message and next step in one text. */
export function withNextStep({ code, message, suggestion }: HostError): string {
  const nextStep = suggestion ?? NEXT_STEPS[code];
  return nextStep === undefined ? message : `${message} ${nextStep}`;
}

const NEXT_STEPS: Partial<Record<HostError['code'], string>> = {
  SERVER_NOT_RUNNING: 'Start the server in the Servers view, then call the tool again.',
};
