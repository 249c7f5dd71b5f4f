import type { FeatureSet, Capability } from '../model/mcpl.ts';

/** Whether a set declares a use, as a whole or, since MCPL 0.5, by one of its parts. */
export function declaresUse({ uses }: Pick<FeatureSet, 'uses'>, use: Capability): boolean {
  return uses.includes(use) || uses.some((part) => part.startsWith(`${use}.`));
}
