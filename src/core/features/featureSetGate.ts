import { HostError } from '../base/errors.ts';
import { toolNamed } from './calledTool.ts';
import type { CallInterceptor } from './callSteps.ts';

/** A tool of a feature set that is off is called by nobody (MCPL §6.6). */
export const featureSetGate: CallInterceptor = {
  concerns: (_, tool, server) => tool !== undefined && toolNamed(server, tool.name)?.setOff !== undefined,
  intercept: (context, next) => {
    const { request, server } = context;
    const setOff = toolNamed(server, request.tool)?.setOff;
    if (setOff !== undefined) throw isOff(request.tool, setOff);
    return next(context);
  },
};

function isOff(tool: string, featureSet: string): HostError {
  return new HostError('FEATURE_SET_OFF', `The tool "${tool}" is off with its feature set "${featureSet}".`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Switch the feature set on, then try again.',
    data: { featureSet },
  });
}
