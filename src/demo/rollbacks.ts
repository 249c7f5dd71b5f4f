import { randomBytes } from 'node:crypto';
import { CHECKPOINT_NOT_FOUND, INVALID_PARAMS, NOT_ENABLED, RpcError, UNKNOWN_SET } from './rpcError.ts';
import type { Fields } from './schema.ts';

/** A feature set that supports rollback. */
export interface Past {
  goBack(checkpoint: string): Returned;
}

export type Returned =
  { readonly kind: 'done' } | { readonly kind: 'impossible'; readonly reason: string } | { readonly kind: 'unknown' };

/** Bounds the length of an id that is echoed to a hostile host. */
const MAX_ID = 512;

/** `state/rollback` (MCPL §8.5), for the feature sets that support it. */
export class Rollbacks {
  readonly #switches: { isOn(name: string): boolean };
  readonly #pasts: ReadonlyMap<string, Past>;

  constructor(switches: { isOn(name: string): boolean }, pasts: Readonly<Record<string, Past>>) {
    this.#switches = switches;
    this.#pasts = new Map(Object.entries(pasts));
  }

  run({ featureSet, checkpoint }: Fields): Fields {
    if (typeof featureSet !== 'string' || typeof checkpoint !== 'string' || checkpoint.length > MAX_ID)
      throw new RpcError(INVALID_PARAMS, 'featureSet and checkpoint must be texts.');
    const past = this.#pasts.get(featureSet);
    if (past === undefined) throw new RpcError(UNKNOWN_SET, 'Unknown feature set', { featureSet });
    if (!this.#switches.isOn(featureSet))
      throw new RpcError(NOT_ENABLED, 'Feature set not enabled', { featureSet, canEnable: true });
    const returned = past.goBack(checkpoint);
    switch (returned.kind) {
      case 'done':
        return { checkpoint, success: true };
      case 'impossible':
        return { checkpoint, success: false, reason: returned.reason };
      case 'unknown':
        throw new RpcError(CHECKPOINT_NOT_FOUND, 'Checkpoint not found', { checkpoint });
    }
  }
}

/** Unique across processes: the host keeps checkpoint names after this process ends. */
export function randomMark(): string {
  return randomBytes(4).toString('hex');
}
