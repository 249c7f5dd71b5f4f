import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { HostError } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ResultView } from '../model/content.ts';
import type { InboundContext } from '../rpc/peer.ts';
import { answerBy } from '../session/channel.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeCreatedTask, isCreatedTask, TASKS_EXTENSION } from '../wire/taskMessages.ts';
import { type CallContext, type CallInterceptor, toolNamed } from './callSteps.ts';
import { type TaskForm, TaskRun } from './taskRun.ts';

/** The tasks of one connection: receives their status, and lets other features answer their questions. */
export class TaskFeature implements SessionFeature {
  readonly notifications = {
    'notifications/tasks/status': (params: JsonObject): void => this.#statusReceived(params),
    'notifications/tasks': (params: JsonObject): void => this.#statusReceived(params),
  };
  readonly #followed = new Map<string, () => void>();
  readonly #answerers: () => readonly SessionFeature[];

  constructor(answerers: () => readonly SessionFeature[]) {
    this.#answerers = answerers;
  }

  /** Calls back when the server reports a change of the task. */
  follow(taskId: string, changed: () => void): Disposable {
    this.#followed.set(taskId, changed);
    return toDisposable(() => {
      if (this.#followed.get(taskId) === changed) this.#followed.delete(taskId);
    });
  }

  /** Answers a task's question like a request from the server. */
  async answer(method: string, params: JsonObject, context: InboundContext): Promise<Json> {
    return answerBy(this.#answerers(), method, params, context);
  }

  #statusReceived({ taskId }: JsonObject): void {
    if (typeof taskId === 'string') this.#followed.get(taskId)?.();
  }
}

/** Declared with each request. In MCP 2025-11-25 only servers declare tasks. */
export const TASKS_DECLARATION: SessionFeature = {
  era: 'modern',
  capabilities: { extensions: { [TASKS_EXTENSION]: {} } },
};

interface TasksOptions {
  readonly clock: Clock;
  find(server: string): TaskFeature | undefined;
}

/** Waits for the task if a call returns one, so that callers see one operation with progress and one end. */
export function tasks(options: TasksOptions): CallInterceptor {
  return {
    concerns: (session) => session.codec.traits.tasks === 'extension' || takesTasks(session),
    intercept: (context, next) => {
      const feature = options.find(context.server.id);
      if (feature === undefined) return next(context);
      const form = formOf(context);
      if (form === undefined) return next(context);
      return next(context).then((result) => followed(result, form, context, { clock: options.clock, feature }));
    },
  };
}

/** How the call may become a task, if at all. Requests one if the tool requires it. */
function formOf(context: CallContext): TaskForm | undefined {
  const { session, server, request } = context;
  const form = session.codec.traits.tasks;
  if (form !== 'core') return form === 'extension' ? form : undefined;
  if (!takesTasks(session)) return undefined;
  if (context.extraParams?.['task'] !== undefined) return 'core';
  if (toolNamed(server, request.tool)?.tool.taskSupport !== 'required') return undefined;
  context.extraParams = { ...context.extraParams, task: { ttl: context.sending.maxTimeoutMs ?? DEFAULT_TTL_MS } };
  return 'core';
}

const DEFAULT_TTL_MS = 3_600_000;

/** MCP 2025-11-25 "Tool-level negotiation": without this capability the tool's own setting is ignored. */
function takesTasks({ handshake }: Session): boolean {
  const declared = member(member(member(handshake.capabilities, 'tasks'), 'requests'), 'tools');
  return member(declared, 'call') !== undefined;
}

function member(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object?.[key];
  return isJsonObject(value) ? value : undefined;
}

function followed(
  result: ResultView,
  form: TaskForm,
  context: CallContext,
  ports: { readonly clock: Clock; readonly feature: TaskFeature },
): ResultView | Promise<ResultView> {
  const isTask = form === 'extension' ? result.raw['resultType'] === 'task' : isCreatedTask(result.raw);
  if (!isTask) return result;
  const created = decodeCreatedTask(result.raw);
  if (created.kind === 'ok') {
    context.becameTask(created.value.taskId);
    return new TaskRun(created.value, form, context, ports).run();
  }
  throw new HostError('INVALID_MESSAGE', `The answer of "${context.request.tool}" is a task that cannot be followed.`, {
    layer: 'protocol',
    effect: 'unknown',
    suggestion: "See the server's log.",
  });
}
