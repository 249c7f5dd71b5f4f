import type { Effect, HostError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { ResultView } from './content.ts';

/** How a call reached the host. */
export type Route = 'gateway' | 'command' | 'cli' | 'api' | 'participant' | 'extension';

/** A tool call as requested. */
export interface ToolCallRequest {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly route: Route;
  /** The editor's chat session, if the route names one (`_meta["vscode.conversationId"]`). */
  readonly conversationId?: string | undefined;
  /** Other `_meta` of the caller, forwarded to the server. */
  readonly meta?: JsonObject | undefined;
  /** Sends the call even if the arguments do not match the schema. Only for users, on the route `command`. */
  readonly unchecked?: boolean | undefined;
}

export interface Progress {
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

export type OperationState =
  | { readonly kind: 'pending' }
  | { readonly kind: 'running'; readonly progress: Progress | undefined }
  | { readonly kind: 'succeeded'; readonly result: ResultView }
  | { readonly kind: 'failed'; readonly error: HostError; readonly effect: Effect };

/** One logical call with all its attempts: one progress, one cancellation, one outcome. */
export interface Operation {
  readonly id: string;
  readonly request: ToolCallRequest;
  readonly startedAt: number;
  /** Number of attempts. A call is repeated after a page was visited, or with other headers. */
  readonly attempts: number;
  /** Number of requests for input before the answer (MCP 2026-07-28, multi round-trip requests). */
  readonly rounds: number;
  /** Id of the server's task, if the call became one. */
  readonly taskId: string | undefined;
  readonly state: OperationState;
}
