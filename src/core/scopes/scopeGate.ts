import { NO_CANCELLATION } from '../base/cancellation.ts';
import { cancelled } from '../base/errors.ts';
import { jsonEquals } from '../base/json.ts';
import type { ResultView } from '../model/content.ts';
import type { Tool } from '../model/catalog.ts';
import type { ServerSnapshot } from '../model/server.ts';
import { scopeOfTool, type ToolScope } from './paths/toolScopes.ts';
import type { Session } from '../session/session.ts';
import { type CallContext, type CallInterceptor, type CallStep, toolNamed } from '../calls/callSteps.ts';
import { deniedCall } from './denials.ts';
import type { ScopeDecider, ScopedUnit } from './scopeDecider.ts';

/** The parts of a server that calls of scoped tools need. */
export interface ScopedServer extends ScopedUnit {
  readonly snapshot: ServerSnapshot;
  readonly session: Session | undefined;
  /** Whether the server's MCPL version sends scopes with calls. */
  readonly takesScopes: boolean;
}

interface ScopeGateOptions {
  decider(): Promise<ScopeDecider>;
  find(server: string): ScopedServer | undefined;
}

/** Decides the scope of a call before anything is sent (MCPL §7.7), whatever route the call came by. */
export class ScopeGate implements CallInterceptor {
  readonly #options: ScopeGateOptions;
  /** A call is sent again after its user opened a page. Keeps the key of its approval, which may be void by then. */
  readonly #decided = new WeakMap<CallContext, string>();

  constructor(options: ScopeGateOptions) {
    this.#options = options;
  }

  concerns(_: Session, tool: Tool | undefined, server: ServerSnapshot): boolean {
    return tool === undefined || scopeOfTool(server, tool.name) !== undefined;
  }

  async intercept(context: CallContext, next: CallStep): Promise<ResultView> {
    const { request, server, session } = context;
    const unit = this.#options.find(request.server);
    const tool = toolNamed(server, request.tool)?.tool;
    const scope = scopeOfTool(server, request.tool);
    if (scope === undefined || tool === undefined) return next(context);
    if (unit === undefined) throw deniedCall(request.tool, { why: 'changed', detail: undefined });
    const { featureSet, adapter } = scope;
    const { token = NO_CANCELLATION } = context;
    const decider = await this.#options.decider();
    const answer = await decider.decide(
      {
        unit,
        featureSet,
        matter: { kind: 'call', tool, args: request.args, adapter },
        call: request,
        decided: this.#decided.get(context),
        // The tool may have moved to another set, or its set may be off now.
        isCurrent: () => {
          const now = unit.snapshot;
          const known = toolNamed(now, request.tool);
          return (
            unit.session === session &&
            !session.stopping.isCancellationRequested &&
            known !== undefined &&
            isSameTool(known.tool, tool) &&
            known.setOff === undefined &&
            isSameScope(scopeOfTool(now, request.tool), scope)
          );
        },
        onAsking: () => context.report({ progress: 0, total: undefined, message: 'Waiting for approval' }),
      },
      token,
    );
    if (!answer.approved) {
      if (token.isCancellationRequested) throw cancelled('The call');
      throw deniedCall(request.tool, answer);
    }
    if (answer.key !== undefined) this.#decided.set(context, answer.key);
    if (unit.takesScopes) {
      const { label, payload } = answer.scope;
      context.extraParams = {
        ...context.extraParams,
        scope: payload === undefined ? { label } : { label, payload },
      };
    }
    return next(context);
  }
}

/** The adapter or the set may have changed in the meantime. */
function isSameScope(now: ToolScope | undefined, then: ToolScope): boolean {
  if (now?.featureSet !== then.featureSet) return false;
  return jsonEquals(now?.adapter, then.adapter);
}

/** Compares content, because tool lists are often announced again without a change. */
function isSameTool(a: Tool, b: Tool): boolean {
  return a === b || jsonEquals(a.raw, b.raw);
}
