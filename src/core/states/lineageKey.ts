import type { LineageKey } from '../model/lineage.ts';

/** A lineage as the key of a table. */
export function keyText({ server, featureSet }: LineageKey): string {
  return `${server}\u0000${featureSet}`;
}
