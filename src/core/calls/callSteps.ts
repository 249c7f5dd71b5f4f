import type { CancellationToken } from '../base/cancellation.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import type { ResultView } from '../model/content.ts';
import type { Progress, ToolCallRequest } from '../model/operation.ts';
import type { OfferedTool, ServerSnapshot } from '../model/server.ts';
import type { Session, SessionRequest } from '../session/session.ts';

/** A lookup table by name, for large lists. Built once per snapshot, because snapshots never change. */
const TABLES = new WeakMap<ServerSnapshot, ReadonlyMap<string, OfferedTool>>();

export function toolNamed(server: ServerSnapshot, name: string): OfferedTool | undefined {
  let table = TABLES.get(server);
  if (table === undefined) {
    table = new Map(server.tools.map((offered) => [offered.tool.name, offered]));
    TABLES.set(server, table);
  }
  return table.get(name);
}

/** The state of a call for interceptors, and their additions to the request. */
export interface CallContext {
  readonly operationId: string;
  readonly request: ToolCallRequest;
  readonly server: ServerSnapshot;
  readonly session: Session;
  /** Decodes a result of the server. */
  readonly decode: (value: Json) => ResultView;
  readonly token: CancellationToken | undefined;
  /** Reports progress from any source. */
  report(progress: Progress): void;
  /** Called each time the request is sent. */
  sent(): void;
  /** Called when the server turned the call into a task. */
  becameTask(taskId: string): void;
  /** The options of the request. */
  readonly sending: SessionRequest;
  /** Additional members of the request's params and `_meta`. */
  extraParams: JsonObject | undefined;
  extraMeta: JsonObject | undefined;
  /** HTTP headers, if the transport has them. */
  headers: Readonly<Record<string, string>> | undefined;
  /** Members of the params that are already JSON text. */
  parts: Readonly<Record<string, string>> | undefined;
}

export type CallStep = (context: CallContext) => Promise<ResultView>;

/** One concern of calls. It may refuse, extend, delay or repeat a call, or change its result. */
export interface CallInterceptor {
  /** Whether it handles this tool over this connection. Absent for all tools. Called once per tool, not per call. */
  concerns?(session: Session, tool: Tool | undefined, server: ServerSnapshot): boolean;
  intercept(context: CallContext, next: CallStep): Promise<ResultView>;
}

/** Creates an interceptor per tool, with values computed once. `undefined` if it does not handle the tool. */
export interface ToolConcern {
  forTool(session: Session, tool: Tool | undefined, server: ServerSnapshot): CallInterceptor | undefined;
}

export type AnyConcern = CallInterceptor | ToolConcern;

/** Combines the interceptors of a tool into one function. The first is outermost, and `send` is innermost. */
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
