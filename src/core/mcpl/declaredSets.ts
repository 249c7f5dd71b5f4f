import type { FeatureSet } from '../model/mcpl.ts';
import type { McplAdvert } from '../wire/mcpl/advert.ts';

type Redact = (text: string) => string;

/** Names and descriptions of sets are shown, and kept in the audit: a set whose name contains a secret is left out. */
export function setsWithoutSecrets(sets: readonly FeatureSet[], redact: Redact): readonly FeatureSet[] {
  return sets
    .filter(({ name }) => redact(name) === name)
    .map((set) => ({
      ...set,
      description: redact(set.description),
      uses: set.uses.map(redact),
      problem: set.problem === undefined ? undefined : redact(set.problem),
    }));
}

export function advertWithoutSecrets({ dialect, sets, before }: McplAdvert, redact: Redact): McplAdvert {
  const { claimed, remarks } = dialect;
  const clean = { ...dialect, claimed: redact(claimed), remarks: remarks.map(redact) };
  return { dialect: clean, sets: setsWithoutSecrets(sets, redact), before };
}
