import type { CancellationToken } from '../base/cancellation.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import type { ResultView } from '../model/content.ts';
import type { Progress, ToolCallRequest } from '../model/operation.ts';
import type { ServerSnapshot } from '../model/server.ts';
import type { Session, SessionRequest } from '../session/session.ts';

/** What an interceptor sees of a call, and what it may add to the request that goes to the server. */
export interface CallContext {
  readonly operationId: string;
  readonly request: ToolCallRequest;
  readonly server: ServerSnapshot;
  readonly session: Session;
  /** Reads a result of the server. */
  readonly decode: (value: Json) => ResultView;
  readonly token: CancellationToken | undefined;
  /** Reports progress, from any source. */
  report(progress: Progress): void;
  /** The request goes out, for the first time or again. */
  sent(): void;
  /** The server made a task of the call. */
  becameTask(taskId: string): void;
  /** How to send the request. */
  readonly sending: SessionRequest;
  /** Members of the request's params beside `name` and `arguments`, and of its `_meta`. */
  extraParams: JsonObject | undefined;
  extraMeta: JsonObject | undefined;
  /** Headers of the HTTP request, where the transport has such. */
  headers: Readonly<Record<string, string>> | undefined;
  /** Members of the request's params that are JSON text already. */
  parts: Readonly<Record<string, string>> | undefined;
}

export type CallStep = (context: CallContext) => Promise<ResultView>;

/** One concern of calls. It may refuse a call, add to it, delay it, repeat it, or change its result. */
export interface CallInterceptor {
  /** Whether it handles this tool over this connection; absent for all tools. Called once per tool, not per call. */
  concerns?(session: Session, tool: Tool | undefined, server: ServerSnapshot): boolean;
  intercept(context: CallContext, next: CallStep): Promise<ResultView>;
}

/** Makes an interceptor for each tool, with values computed once; `undefined` for a tool that it does not handle. */
export interface ToolConcern {
  forTool(session: Session, tool: Tool | undefined, server: ServerSnapshot): CallInterceptor | undefined;
}

export type AnyConcern = CallInterceptor | ToolConcern;

/** Combines the interceptors that handle the tool into one function. The first is the outermost, `send` the innermost. */
export function stepThrough(
  concerns: readonly AnyConcern[],
  send: CallStep,
  {
    session,
    tool,
    server,
  }: { readonly session: Session; readonly tool: Tool | undefined; readonly server: ServerSnapshot },
): CallStep {
  return concerns
    .flatMap((concern): readonly CallInterceptor[] => {
      const made = 'forTool' in concern ? concern.forTool(session, tool, server) : concern;
      return made === undefined || made.concerns?.(session, tool, server) === false ? [] : [made];
    })
    .reduceRight<CallStep>((next, interceptor) => (context) => interceptor.intercept(context, next), send);
}
