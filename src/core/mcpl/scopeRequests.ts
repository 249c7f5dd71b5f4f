import type { Json, JsonObject } from '../base/json.ts';
import { invalidParams } from '../wire/mcpl/errors.ts';
import type { McplMember } from './member.ts';

/**
 * MCPL §7.4, as far as saying no: the set is gated like any other message, and nothing is approved as long as nobody can
 * be asked.
 */
export function refuseElevation(member: McplMember, { featureSet }: JsonObject): Json {
  const set = member.admit(featureSet, 'tools');
  if (!set.scoped) throw invalidParams(`The feature set "${set.name}" is not declared as scoped.`, 'featureSet');
  return { approved: false, reason: 'This host does not approve scopes.' };
}
