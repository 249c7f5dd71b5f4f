import { argumentCheck, type ArgumentCheckOptions } from '../calls/argumentCheck.ts';
import type { AnyConcern, CallInterceptor } from '../calls/callSteps.ts';
import { repeatedArguments, type RepeatedArgumentsOptions } from '../calls/paramHeaders.ts';
import { requiredPages } from '../calls/requiredPages.ts';
import { structuredOutput } from '../calls/structuredOutput.ts';
import { tasks } from '../calls/tasks.ts';
import { checkTool } from '../calls/toolCalls.ts';
import type { Clock } from '../base/clock.ts';
import type { InputPorts } from '../inputPorts.ts';
import { featureSetGate } from '../mcpl/featureSetGate.ts';
import type { ServerInputs } from './serverInputs.ts';

export interface CallInterceptorsOptions extends RepeatedArgumentsOptions {
  readonly clock: Clock;
  readonly ports: InputPorts;
  readonly scopes: CallInterceptor;
  readonly states: { readonly outer: CallInterceptor; readonly inner: CallInterceptor };
  find(server: string): ServerInputs | undefined;
  onSchemaFault: ArgumentCheckOptions['onSchemaFault'];
}

/** All interceptors of calls, outermost first. The order matters. */
export function callInterceptors(options: CallInterceptorsOptions): readonly AnyConcern[] {
  const { clock, ports, scopes, states } = options;
  return [
    featureSetGate,
    // Sees the state of the final result.
    states.outer,
    checkTool,
    argumentCheck({
      clock,
      checker: ports.schemaChecker,
      onSchemaFault: (server, tool, why) => options.onSchemaFault(server, tool, why),
    }),
    // Checks the result of a task.
    structuredOutput(ports),
    // Calls again after a page visit, with a new task.
    requiredPages({ clock, find: (server) => options.find(server)?.elicitation }),
    tasks({ clock, find: (server) => options.find(server)?.tasks }),
    // Runs before each send: the user may take half an hour in between.
    scopes,
    // No other call of the set runs between the sent state and the returned one.
    states.inner,
    repeatedArguments({ reread: (server, token) => options.reread(server, token) }),
  ];
}
