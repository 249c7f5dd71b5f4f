import { HostError } from '../base/errors.ts';
import { type CallInterceptor, toolNamed } from '../calls/callSteps.ts';

/** Refuses calls of tools whose feature set is off (MCPL §6.6). */
export const featureSetGate: CallInterceptor = {
  concerns: (_, tool, server) => tool !== undefined && toolNamed(server, tool.name)?.setOff !== undefined,
  intercept: (context, next) => {
    const { request, server } = context;
    const { setOff, needs, lacksUse } = toolNamed(server, request.tool) ?? {};
    if (setOff !== undefined && lacksUse === true) throw undeclaredTools(request.tool, setOff);
    if (setOff !== undefined) throw isOff(request.tool, setOff, needs);
    return next(context);
  },
};

function isOff(tool: string, featureSet: string, needs: readonly string[] | undefined): HostError {
  const isOne = needs === undefined;
  const message = isOne
    ? `The tool "${tool}" is off with its feature set "${featureSet}".`
    : `The tool "${tool}" may belong to any of ${needs.length} feature sets, and "${featureSet}" is off.`;
  const suggestion = isOne
    ? 'Switch the feature set on, then try again.'
    : 'Turn on all of them, or name the feature set of the tool in "toolFeatureSets".';
  return new HostError('FEATURE_SET_OFF', message, {
    layer: 'policy',
    effect: 'none',
    suggestion,
    data: { featureSet },
  });
}

function undeclaredTools(tool: string, featureSet: string): HostError {
  const explanation = `The feature set "${featureSet}" of the tool "${tool}" does not declare "tools" in its "uses".`;
  return new HostError('FEATURE_SET_OFF', explanation, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Report this to the author of the server: the declaration of the feature set must be corrected.',
    data: { featureSet, reason: 'undeclaredUse', use: 'tools', canEnable: false },
  });
}
