import type { FeatureSet } from '../model/mcpl.ts';

/** What sets are called and said to be is shown, and kept in the audit: one whose name holds a secret is left out. */
export function setsWithoutSecrets(
  sets: readonly FeatureSet[],
  redact: (text: string) => string,
): readonly FeatureSet[] {
  return sets
    .filter(({ name }) => redact(name) === name)
    .map((set) => ({ ...set, description: redact(set.description), uses: set.uses.map(redact) }));
}
