import type { Json, JsonObject } from '../base/json.ts';

export const TASK_STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Work that goes on at the server after its request was answered, said the same for both forms of it. */
export interface Task {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage: string | undefined;
  readonly createdAt: string | undefined;
  readonly lastUpdatedAt: string | undefined;
  /** How long after its creation it is kept; absent means without end. */
  readonly ttlMs: number | undefined;
  /** How long to wait between two looks at it, where the server says. */
  readonly pollIntervalMs: number | undefined;
  /** What a task of the extension carries along; a task of MCP 2025-11-25 is asked with `tasks/result`. */
  readonly payload: TaskPayload;
  readonly raw: JsonObject;
}

export type TaskPayload =
  | { readonly kind: 'none' }
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: Json | undefined }
  | { readonly kind: 'inputs'; readonly requests: InputRequests };

/** What a server wants to know before it goes on, by keys that the answers repeat. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** A type, not an interface: so it is a JSON object to the compiler. */
export type InputRequest = {
  readonly method: string;
  readonly params: JsonObject;
};

export function isOver(task: Pick<Task, 'status'>): boolean {
  return task.status === 'completed' || task.status === 'failed' || task.status === 'cancelled';
}
