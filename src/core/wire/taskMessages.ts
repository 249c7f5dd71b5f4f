import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { type InputRequest, type InputRequests, type Task, TASK_STATUSES, type TaskPayload } from '../model/task.ts';
import { count, type Decoded, invalid, number, object, ok, text } from './members.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** `tasks/get`, `tasks/cancel` and the notifications of a task, in either form. */
export function decodeTask(value: Json | undefined): Decoded<Task> {
  if (!isJsonObject(value)) return invalid('the task is not an object');
  const { taskId, status } = value;
  if (typeof taskId !== 'string' || taskId === '') return invalid('the task has no "taskId"');
  const known = TASK_STATUSES.find((one) => one === status);
  if (known === undefined) return invalid('the task has no known "status"');
  return ok({
    taskId,
    status: known,
    statusMessage: text(value['statusMessage']),
    createdAt: text(value['createdAt']),
    lastUpdatedAt: text(value['lastUpdatedAt']),
    ttlMs: count(value['ttlMs'] ?? value['ttl']),
    pollIntervalMs: count(value['pollIntervalMs'] ?? value['pollInterval']),
    payload: decodePayload(value),
    raw: value,
  });
}

/**
 * The answer to a request that became a task: `{task}` in MCP 2025-11-25, or a flat object with `resultType: "task"`.
 */
export function decodeCreatedTask(result: Json): Decoded<Task> {
  if (!isJsonObject(result)) return invalid('the answer is not an object');
  return decodeTask(result['resultType'] === 'task' ? result : result['task']);
}

/** Whether the answer to a request is a task instead of a result. */
export function isCreatedTask(result: Json): result is JsonObject {
  if (!isJsonObject(result)) return false;
  return result['resultType'] === 'task' || (result['content'] === undefined && isJsonObject(result['task']));
}

function decodePayload(value: JsonObject): TaskPayload {
  const { status, result, error, inputRequests } = value;
  if (status === 'completed' && isJsonObject(result)) return { kind: 'result', result };
  if (status === 'failed' && isJsonObject(error))
    return {
      kind: 'error',
      code: number(error['code']) ?? -32603,
      message: text(error['message']) ?? '',
      data: error['data'],
    };
  if (status === 'input_required' && isJsonObject(inputRequests)) {
    const requests = decodeInputRequests(inputRequests);
    if (requests.kind === 'ok') return { kind: 'inputs', requests: requests.value };
  }
  return { kind: 'none' };
}

const MAX_INPUTS = 100;

/** MCP 2026-07-28 "Multi round-trip requests": the server's requests for input, by key. */
export function decodeInputRequests(value: Json | undefined): Decoded<InputRequests> {
  if (!isJsonObject(value)) return invalid('its "inputRequests" are not an object');
  const keys = Object.keys(value);
  if (keys.length > MAX_INPUTS) return invalid(`it asks ${keys.length} things at once`);
  const requests: [string, InputRequest][] = [];
  for (const key of keys) {
    const method = text(object(value[key])?.['method']);
    const params = object(value[key])?.['params'];
    if (method === undefined || isJsonArray(params))
      return invalid(`its input request "${key.slice(0, 40)}" is no request`);
    requests.push([key, { method, params: object(params) ?? {} }]);
  }
  return ok(Object.fromEntries(requests));
}
