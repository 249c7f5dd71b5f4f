import { isFeatureSetName, nearestPattern } from '../model/featureSetPattern.ts';
import type { PushPolicy } from '../model/mcpl.ts';

/** The policy for the events of a set: by its name, or else by the longest wildcard. */
export function pushPolicyOf(push: Readonly<Record<string, PushPolicy>>, name: string): PushPolicy {
  const nearest = isFeatureSetName(name) ? nearestPattern(Object.keys(push), name) : undefined;
  return (nearest === undefined ? undefined : push[nearest]) ?? 'notify';
}
