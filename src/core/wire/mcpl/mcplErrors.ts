import { RPC, WireError } from '../../base/errors.ts';
import type { ModelFailure, ModelFailureReason } from '../../model/inference.ts';
import type { Capability, McplTraits } from '../../model/mcpl.ts';

/**
 * Error codes of MCPL §A, and one for models that it lacks. Only valid in answers to MCPL methods on an MCPL
 * connection, because the codes mean something else in other protocols.
 */
export const MCPL_ERROR = {
  model: -32000,
  notEnabled: -32001,
  /** MCPL 0.5 §6.6 */
  capabilityDenied: -32002,
  unknownFeatureSet: -32003,
  checkpointNotFound: -32005,
} as const;

/** MCPL §6.6. `canEnable`: the user could switch it on. */
export function notEnabled(name: string, canEnable: boolean): WireError {
  return new WireError(MCPL_ERROR.notEnabled, 'Feature set not enabled', { featureSet: name, canEnable });
}

/** A request needs a capability that its feature set does not declare. */
export class UndeclaredUse extends WireError {
  readonly featureSet: string;
  readonly use: Capability;

  constructor(featureSet: string, use: Capability, { undeclaredUse }: McplTraits) {
    const explanation = `The feature set "${featureSet}" does not declare "${use}" in its "uses".`;
    const data = { featureSet, reason: 'undeclaredUse', use, explanation };
    if (undeclaredUse === 'capabilityDenied')
      super(MCPL_ERROR.capabilityDenied, 'Capability not declared', { ...data, capability: use });
    else super(MCPL_ERROR.notEnabled, 'Use not declared', { ...data, canEnable: use === 'pushEvents' });
    this.featureSet = featureSet;
    this.use = use;
  }
}

/** MCPL 0.5 §6.6: a request without a feature set, and no set that is on declares the capability. */
export function capabilityDenied(use: Capability): WireError {
  const explanation = `No feature set that is on declares "${use}" in its "uses".`;
  const data = { reason: 'undeclaredUse', use, explanation, capability: use };
  return new WireError(MCPL_ERROR.capabilityDenied, 'Capability not declared', data);
}

/** `WireError` is checked by brand, so `instanceof UndeclaredUse` matches every `WireError`. */
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

/** Messages for the server. The messages for the user may name models and accounts, which the server must not learn. */
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

/** Invalid params: the wrong member, and a sentence for the server's author. */
export interface InvalidParams {
  readonly kind: 'invalid';
  readonly why: string;
  readonly field: string;
}

export type DecodedParams<T> = { readonly kind: 'ok'; readonly value: T } | InvalidParams;

export function wrong(field: string, needed: string): InvalidParams {
  return { kind: 'invalid', why: `${field} must be ${needed}.`, field };
}
