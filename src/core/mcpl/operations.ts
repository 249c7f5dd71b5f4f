import type { McplUse } from '../model/mcpl.ts';

/** The message by which a server makes use of a set. */
export const OPERATIONS: Readonly<Record<McplUse, string>> = {
  pushEvents: 'push/event',
  inferenceRequest: 'inference/request',
  tools: 'scope/elevate',
  'contextHooks.beforeInference': 'context/beforeInference',
  'contextHooks.afterInference': 'context/afterInference',
};
