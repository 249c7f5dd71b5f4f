import type { LineageKey } from '../model/lineage.ts';

/** A lineage as a map key. */
export function keyText({ server, featureSet }: LineageKey): string {
  return `${server}\u0000${featureSet}`;
}
