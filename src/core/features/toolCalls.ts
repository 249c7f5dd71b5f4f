import { Deferred } from '../base/async.ts';
import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { cancelled, HostError, isHostError, toHostError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { decodeResult, type ResultView } from '../model/content.ts';
import type { Operation, OperationState, Progress, ToolCallRequest } from '../model/operation.ts';
import type { ServerSnapshot } from '../model/server.ts';
import type { Ids } from '../ports.ts';
import type { Session } from '../session/session.ts';

/** What an interceptor sees of a call, and what it may add to the request that goes to the server. */
export interface CallContext {
  readonly operationId: string;
  readonly request: ToolCallRequest;
  readonly server: ServerSnapshot;
  readonly session: Session;
  readonly token: CancellationToken;
  readonly onProgress: (progress: Progress) => void;
  /** Members of the request's params beside `name` and `arguments`. */
  readonly extraParams: Record<string, Json | undefined>;
  readonly extraMeta: Record<string, Json | undefined>;
}

/** One concern of every call, in the order in which the host lists them. It may refuse, add, wait or read the result. */
export type CallInterceptor = (context: CallContext, next: () => Promise<ResultView>) => Promise<ResultView>;

/** A server as far as a call needs it. */
export interface CallTarget {
  readonly snapshot: ServerSnapshot;
  readonly session: Session | undefined;
  readonly onDidChange: Event<unknown>;
}

export interface ToolCallsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly interceptors: readonly CallInterceptor[];
  find(server: string): CallTarget | undefined;
}

export interface CallSettings {
  readonly token?: CancellationToken | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Every tool call there is, whatever route it came by: found, checked, intercepted, sent, and told of. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #operations = new Emitter<Operation>();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get onDidChangeOperation(): Event<Operation> {
    return this.#operations.event;
  }

  async call(request: ToolCallRequest, settings: CallSettings = {}): Promise<ResultView> {
    const { clock, ids } = this.#options;
    const identity = { id: ids.uuid(), request, startedAt: clock.now() };
    const tell = (attempts: number, state: OperationState): void => {
      if (this.#operations.hasListeners) this.#operations.fire({ ...identity, attempts, state });
    };
    tell(0, { kind: 'pending' });
    try {
      const target = this.#target(request);
      // Right after a start the tools are still being read; once they are, nobody waits here.
      if (isStillReading(target)) await untilRead(target, settings.token ?? NO_CANCELLATION);
      const { snapshot, session } = this.#running(target, request);
      const context: CallContext = {
        operationId: identity.id,
        request,
        server: snapshot,
        session,
        token: settings.token ?? NO_CANCELLATION,
        onProgress: (progress) => {
          tell(1, { kind: 'running', progress });
          settings.onProgress?.(progress);
        },
        extraParams: {},
        extraMeta: { ...request.meta },
      };
      tell(1, { kind: 'running', progress: undefined });
      const result = await run(this.#options.interceptors, context);
      tell(1, { kind: 'succeeded', result });
      return result;
    } catch (thrown) {
      const error = toHostError(thrown);
      tell(1, { kind: 'failed', error, effect: error.effect });
      throw error;
    }
  }

  #target(request: ToolCallRequest): CallTarget {
    const target = this.#options.find(request.server);
    if (target !== undefined) return target;
    throw refused('UNKNOWN_SERVER', `There is no server "${request.server}".`, 'Check the setting "mcpl.servers".');
  }

  #running({ snapshot, session }: CallTarget, { server }: ToolCallRequest): RunningTarget {
    if (session !== undefined) return { snapshot, session };
    throw refused('SERVER_NOT_RUNNING', `The server "${server}" is not running.`, 'Start it, then try again.');
  }
}

interface RunningTarget {
  readonly snapshot: ServerSnapshot;
  readonly session: Session;
}

function isStillReading({ session, snapshot }: CallTarget): boolean {
  return session !== undefined && snapshot.listing.kind === 'unread';
}

/** Ends with the reading, which has a timeout of its own, with the connection, or with the call. */
async function untilRead(target: CallTarget, token: CancellationToken): Promise<void> {
  const done = new Deferred<void>();
  const changes = target.onDidChange(() => {
    if (!isStillReading(target)) done.resolve();
  });
  const cancels = token.onCancellationRequested(() => done.reject(cancelled('The call')));
  try {
    await done.promise;
  } finally {
    changes.dispose();
    cancels.dispose();
  }
}

function run(interceptors: readonly CallInterceptor[], context: CallContext): Promise<ResultView> {
  const step = (index: number): Promise<ResultView> => {
    const interceptor = interceptors[index];
    return interceptor === undefined ? send(context) : interceptor(context, () => step(index + 1));
  };
  return step(0);
}

async function send(context: CallContext): Promise<ResultView> {
  const { request, server, session } = context;
  const { call, callMax } = server.definition?.timeouts ?? { call: 60, callMax: 3600 };
  const hasMeta = Object.keys(context.extraMeta).length > 0;
  const params: JsonObject = {
    name: request.tool,
    arguments: request.args,
    ...context.extraParams,
    ...(hasMeta ? { _meta: context.extraMeta } : {}),
  };
  try {
    const result = await session.request('tools/call', params, {
      timeoutMs: call * 1000,
      maxTimeoutMs: callMax * 1000,
      token: context.token,
      onProgress: context.onProgress,
    });
    return decodeResult(result);
  } catch (error) {
    throw explained(error, request);
  }
}

/** The tool exists, and models see only what is offered to them. A person may call what is hidden from models. */
export const checkTool: CallInterceptor = (context, next) => {
  const { request, server } = context;
  const found = server.tools.find((candidate) => candidate.tool.name === request.tool);
  if (found === undefined)
    throw refused('UNKNOWN_TOOL', `The server "${server.id}" has no tool "${request.tool}".`, 'List its tools again.');
  const byPerson = request.route === 'command' || request.route === 'cli';
  if (!found.offered && !byPerson)
    throw refused('TOOL_HIDDEN', `The tool "${request.tool}" is not offered to models.`, 'Use another tool.');
  return next();
};

function refused(
  code: 'UNKNOWN_SERVER' | 'SERVER_NOT_RUNNING' | 'UNKNOWN_TOOL' | 'TOOL_HIDDEN',
  message: string,
  suggestion: string,
): HostError {
  return new HostError(code, message, { layer: 'policy', effect: 'none', suggestion });
}

/** The same failure, naming the server and the tool. */
function explained(error: unknown, request: ToolCallRequest): unknown {
  if (!isHostError(error, 'TIMEOUT')) return error;
  return new HostError('TIMEOUT', `The tool "${request.tool}" of "${request.server}" gave no answer in time.`, {
    layer: 'server',
    suggestion: 'Try again, or raise "timeouts.call" of the server.',
    effect: 'unknown',
    cause: error,
  });
}
