import type { Json, JsonObject } from '../base/json.ts';

export const TASK_STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
type TaskStatus = (typeof TASK_STATUSES)[number];

/** Work that continues on the server after the answer. Covers both kinds of tasks. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage: string | undefined;
  readonly createdAt: string | undefined;
  readonly lastUpdatedAt: string | undefined;
  /** Retention time after creation. `undefined` means unlimited. */
  readonly ttlMs: number | undefined;
  /** Suggested polling interval, if stated. */
  readonly pollIntervalMs: number | undefined;
  /** The payload of an extension task. For tasks of MCP 2025-11-25, use `tasks/result`. */
  readonly payload: TaskPayload;
  readonly raw: JsonObject;
}

export type TaskPayload =
  | { readonly kind: 'none' }
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: Json | undefined }
  | { readonly kind: 'inputs'; readonly requests: InputRequests };

/** A server's requests for input, by keys that the answers repeat. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** A type alias, because interfaces are not assignable to `JsonObject`. */
export type InputRequest = {
  readonly method: string;
  readonly params: JsonObject;
};

export function isOver(task: Pick<Task, 'status'>): boolean {
  return task.status === 'completed' || task.status === 'failed' || task.status === 'cancelled';
}
