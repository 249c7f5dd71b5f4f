import { RPC, WireError } from '../../base/errors.ts';
import type { McplUse, McplVersion } from '../../model/mcpl.ts';
import type { ModelFailure, ModelFailureReason } from '../../model/inference.ts';

/**
 * MCPL §A, and the code for models that it lacks. Valid only on a connection that negotiated MCPL, in answer to a method
 * of MCPL: elsewhere the same numbers mean other things.
 */
export const MCPL_ERROR = {
  model: -32000,
  notEnabled: -32001,
  /** MCPL 0.5 §6.6 */
  capabilityDenied: -32002,
  unknownFeatureSet: -32003,
  checkpointNotFound: -32005,
} as const;

/** MCPL §6.6. `canEnable`: a person could switch it on. */
export function notEnabled(name: string, canEnable: boolean): WireError {
  return new WireError(MCPL_ERROR.notEnabled, 'Feature set not enabled', { featureSet: name, canEnable });
}

/** A request that needs a use which its feature set does not declare. */
export class UndeclaredUse extends WireError {
  readonly featureSet: string;
  readonly use: McplUse;

  constructor(featureSet: string, use: McplUse, version: McplVersion) {
    const explanation = `The feature set "${featureSet}" does not declare "${use}" in its "uses".`;
    const data = { featureSet, reason: 'undeclaredUse', use, explanation };
    // MCPL 0.5 has a code of its own, and no person can allow what is not declared.
    if (version === '0.5') super(MCPL_ERROR.capabilityDenied, 'Capability not declared', { ...data, capability: use });
    else super(MCPL_ERROR.notEnabled, 'Use not declared', { ...data, canEnable: use === 'pushEvents' });
    this.featureSet = featureSet;
    this.use = use;
  }
}

/** MCPL 0.5 §6.6: a request that names no feature set, where no set that is on declares its use. */
export function capabilityDenied(use: McplUse): WireError {
  const explanation = `No feature set that is on declares "${use}" in its "uses".`;
  const data = { reason: 'undeclaredUse', use, explanation, capability: use };
  return new WireError(MCPL_ERROR.capabilityDenied, 'Capability not declared', data);
}

/** `instanceof` does not tell one `WireError` from another. */
export function isUndeclaredUse(error: unknown): error is UndeclaredUse {
  return error instanceof WireError && 'use' in error;
}

/** MCPL §6.6 */
export function unknownFeatureSet(name: string): WireError {
  return new WireError(MCPL_ERROR.unknownFeatureSet, 'Unknown feature set', { featureSet: name });
}

export function invalidParams(why: string, field?: string): WireError {
  return new WireError(RPC.invalidParams, why, field === undefined ? undefined : { field });
}

/** What a server is told. The words for a person may name models and accounts, which are none of its business. */
const TOLD = {
  no_model: 'No language model available',
  no_permission: 'No language model available',
  blocked: 'The language model refused the request',
  quota: 'The quota of the language model is used up',
  cancelled: 'The request was cancelled',
  failed: 'The language model failed',
} as const satisfies Readonly<Record<ModelFailureReason, string>>;

export function modelError({ reason }: Pick<ModelFailure, 'reason'>): WireError {
  const code = reason === 'failed' ? RPC.internalError : MCPL_ERROR.model;
  return new WireError(code, TOLD[reason], { reason });
}

/** MCPL §10.7 */
export function inHook(): WireError {
  return new WireError(RPC.invalidRequest, 'No inference may be requested while a context hook is under way.');
}
