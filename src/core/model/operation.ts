import type { Effect, HostError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ResultView } from './content.ts';
import type { KeptState } from './lineage.ts';

/** By which way a call reached the host. */
export type Route = 'gateway' | 'command' | 'cli' | 'api' | 'participant' | 'extension';

/** A tool call as requested. */
export interface ToolCallRequest {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly route: Route;
  /** The editor's chat session, where the route names one (`_meta["vscode.conversationId"]`). */
  readonly conversationId?: string | undefined;
  /** Further `_meta` of the caller that is passed on to the server. */
  readonly meta?: JsonObject | undefined;
  /** Sent even if the arguments do not fit the tool's schema: for a person, on the route `command` alone. */
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

/** One logical call, however many attempts it takes (model D: one progress, one cancel, one outcome). */
export interface Operation {
  readonly id: string;
  readonly request: ToolCallRequest;
  readonly startedAt: number;
  /** How often it was sent: once more after a page was visited, or with other headers. */
  readonly attempts: number;
  /** How often the server asked for something before it answered (MCP 2026-07-28, multi round-trip requests). */
  readonly rounds: number;
  /** The task that it became at the server. */
  readonly taskId: string | undefined;
  /** What became of the state that came with the result (MCPL §8.2). */
  readonly kept?: KeptState | undefined;
  readonly state: OperationState;
}

/** What interceptors add to the request that goes to the server: top-level members and `_meta` members. */
export interface OutgoingExtras {
  readonly params: Readonly<Record<string, Json>>;
  readonly meta: Readonly<Record<string, Json>>;
}
