import { HostError, toHostError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import type { AuditOutcome, AuditRecord } from '../model/audit.ts';
import type { ResultView } from '../model/content.ts';
import type { Clock } from '../ports.ts';
import type { Session } from '../session/session.ts';
import { toolNamed } from './calledTool.ts';
import type { CallContext, CallInterceptor, CallStep } from './callSteps.ts';

export interface FeatureSetGateOptions {
  readonly clock: Clock;
  record(record: AuditRecord): void;
}

/** A tool of a feature set that is off is called by nobody (MCPL §6.6); each call of an MCPL server is audited (§13.2). */
export class FeatureSetGate implements CallInterceptor {
  readonly #options: FeatureSetGateOptions;

  constructor(options: FeatureSetGateOptions) {
    this.#options = options;
  }

  concerns({ handshake }: Session): boolean {
    const { experimental } = handshake.capabilities;
    return isJsonObject(experimental) && experimental['mcpl'] !== undefined;
  }

  async intercept(context: CallContext, next: CallStep): Promise<ResultView> {
    const began = this.#options.clock.now();
    const { request, server } = context;
    const featureSet = server.mcpl?.sets.find(({ tools }) => tools.includes(request.tool))?.set.name;
    const tell = (outcome: AuditOutcome, detail?: string): void => {
      const at = this.#options.clock.now();
      const durationMs = at - began;
      const operation = 'tools/call';
      const told = detail === undefined ? request.tool : `${request.tool}: ${detail}`;
      const common = { inferenceId: undefined, tokens: undefined };
      this.#options.record({
        at,
        server: server.id,
        operation,
        featureSet,
        outcome,
        durationMs,
        detail: told,
        ...common,
      });
    };
    const setOff = toolNamed(server, request.tool)?.setOff;
    if (setOff !== undefined) {
      tell('refused', 'its feature set is off');
      throw isOff(request.tool, setOff);
    }
    try {
      const result = await next(context);
      tell(result.isError ? 'failure' : 'success');
      return result;
    } catch (thrown) {
      const error = toHostError(thrown);
      tell(OUTCOMES[error.code] ?? 'failure', error.message);
      throw error;
    }
  }
}

const OUTCOMES: { readonly [code in HostError['code']]?: AuditOutcome } = {
  TIMEOUT: 'timeout',
  CANCELLED: 'cancelled',
  TOOL_HIDDEN: 'refused',
  STATE_BLOCKED: 'refused',
};

function isOff(tool: string, featureSet: string): HostError {
  return new HostError('FEATURE_SET_OFF', `The tool "${tool}" is off with its feature set "${featureSet}".`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Switch the feature set on, then try again.',
    data: { featureSet },
  });
}
