import { type HostError, RPC, WireError } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Progress, ToolCallRequest } from '../model/operation.ts';
import { isRequestId, notificationMessage, type RequestId } from './messages.ts';

/** The member of `_meta` in which the editor names its chat session. */
const CONVERSATION = 'vscode.conversationId';

export interface IncomingCall {
  readonly request: ToolCallRequest;
  readonly progressToken: RequestId | undefined;
}

/** Throws a `WireError` where the parameters are not those of a call. */
export function decodeCall(server: string, params: JsonObject): IncomingCall {
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || name === '') throw new WireError(RPC.invalidParams, '`name` is the name of a tool.');
  if (args !== undefined && args !== null && !isJsonObject(args))
    throw new WireError(RPC.invalidParams, '`arguments` is a JSON object.');
  const { progressToken, ...meta } = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const conversationId = meta[CONVERSATION];
  return {
    request: {
      server,
      tool: name,
      args: isJsonObject(args) ? args : {},
      route: 'gateway',
      conversationId: typeof conversationId === 'string' && conversationId !== '' ? conversationId : undefined,
      meta: Object.keys(meta).length > 0 ? meta : undefined,
    },
    progressToken: isRequestId(progressToken) ? progressToken : undefined,
  };
}

export function progressMessage(progressToken: RequestId, { progress, total, message }: Progress): JsonObject {
  return notificationMessage('notifications/progress', {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  });
}

/**
 * A failed call as a result that the model reads and may act on. Only what the client itself did wrong, and what
 * went wrong in the host, is a protocol error: those reach the person, not the model.
 */
export function failedCall(error: HostError): JsonObject {
  if (error.code === 'UNKNOWN_TOOL') throw new WireError(RPC.invalidParams, error.message);
  if (error.code === 'INTERNAL') throw new WireError(RPC.internalError, error.message);
  const nextStep = error.suggestion ?? NEXT_STEPS[error.code];
  const text = nextStep === undefined ? error.message : `${error.message} ${nextStep}`;
  return { content: [{ type: 'text', text }], isError: true };
}

const NEXT_STEPS: Partial<Record<HostError['code'], string>> = {
  SERVER_NOT_RUNNING: 'Start the server in the Servers view, then call the tool again.',
};
