import { type HostError, RPC, WireError } from '../base/errors.ts';
import { showHidden } from '../base/hiddenText.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Progress, ToolCallRequest } from '../model/operation.ts';
import { isRequestId, notificationMessage, type RequestId } from './gatewayMessages.ts';
import { withNextStep } from './protocolError.ts';
import { ShownNames } from './shownText.ts';

/** The member of `_meta` with the editor's chat session. */
const CONVERSATION = 'vscode.conversationId';

export interface IncomingCall {
  readonly request: ToolCallRequest;
  readonly progressToken: RequestId | undefined;
}

/** Throws a `WireError` for invalid params. */
export function decodeCall(server: string, params: JsonObject, names: ShownNames = new ShownNames()): IncomingCall {
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || name === '') throw new WireError(RPC.invalidParams, '`name` is the name of a tool.');
  if (args !== undefined && args !== null && !isJsonObject(args))
    throw new WireError(RPC.invalidParams, '`arguments` is a JSON object.');
  const { progressToken: _, ...meta } = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const conversationId = meta[CONVERSATION];
  return {
    request: {
      server,
      tool: names.real(name),
      args: isJsonObject(args) ? args : {},
      route: 'gateway',
      conversationId: typeof conversationId === 'string' && conversationId !== '' ? conversationId : undefined,
      meta: Object.keys(meta).length > 0 ? meta : undefined,
    },
    progressToken: progressTokenOf(params),
  };
}

export function progressTokenOf({ _meta: meta }: JsonObject): RequestId | undefined {
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return isRequestId(token) ? token : undefined;
}

export function progressMessage(progressToken: RequestId, { progress, total, message }: Progress): JsonObject {
  return notificationMessage('notifications/progress', {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message: showHidden(message) }),
  });
}

/**
 * A failed call as a result that the model can react to. Errors of the client or inside the host become protocol
 * errors, which the user sees instead.
 */
export function failedCall(error: HostError): JsonObject {
  if (error.code === 'UNKNOWN_TOOL') throw new WireError(RPC.invalidParams, error.message);
  if (error.code === 'INTERNAL') throw new WireError(RPC.internalError, error.message);
  return { content: [{ type: 'text', text: showHidden(withNextStep(error)) }], isError: true };
}
