import type { McplUse } from '../model/mcpl.ts';

/** The message by which a server makes use of a set. */
export const OPERATIONS: Readonly<Record<McplUse, string>> = {
  pushEvents: 'push/event',
  inferenceRequest: 'inference/request',
  'inferenceRequest.streaming': 'inference/request',
  modelInfo: 'model/info',
  tools: 'scope/elevate',
  'contextHooks.beforeInference': 'context/beforeInference',
  'contextHooks.afterInference': 'context/afterInference',
};
