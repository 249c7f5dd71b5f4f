import { coveredBy, covers, isFeatureSetName, isWildcard } from '../model/featureSetPattern.ts';
import type { Capability, FeatureSet, FeatureSetSettings } from '../model/mcpl.ts';

/** Whether a name or wildcard of the settings matches this set. A set with an invalid name never matches. */
export function matchesFeatureSet(pattern: string, name: string): boolean {
  return isFeatureSetName(name) && covers(pattern, name);
}

/** A set is off if no list names it, or if both do. */
export function isChosen(settings: FeatureSetSettings, name: string): boolean {
  return isFeatureSetName(name) && isOnThroughout(settings, name);
}

/** The same for all sets that match a pattern, except for sets that other patterns of these settings match. */
export function isOnThroughout({ enabled, disabled }: FeatureSetSettings, pattern: string): boolean {
  return coveredBy(enabled, pattern) && !coveredBy(disabled, pattern);
}

/** Puts every name into exactly one of the two lists, and keeps the order. */
export function partition(settings: FeatureSetSettings, names: readonly string[]): FeatureSetSettings {
  return {
    enabled: names.filter((name) => isChosen(settings, name)),
    disabled: names.filter((name) => !isChosen(settings, name)),
  };
}

/**
 * Changes the settings for these names, and keeps the state of every other declared set. Never switches on undeclared
 * sets, even if a wildcard must be removed.
 */
export function withChoice(
  settings: FeatureSetSettings,
  declared: readonly string[],
  names: readonly string[],
  on: boolean,
): FeatureSetSettings {
  const wanted = [...new Set(names)].filter((name) => isFeatureSetName(name) && isChosen(settings, name) !== on);
  if (wanted.length === 0) return settings;
  if (!on) return switchedOff(settings, wanted);
  const barring = settings.disabled.filter((off) => isWildcard(off) && wanted.some((name) => covers(off, name)));
  const freed = barring.length === 0 ? settings : withoutBars(settings, [...declared, ...names], barring);
  return {
    enabled: [...freed.enabled, ...wanted.filter((name) => !coveredBy(freed.enabled, name))],
    disabled: freed.disabled.filter((off) => !wanted.includes(off)),
  };
}

function switchedOff(settings: FeatureSetSettings, names: readonly string[]): FeatureSetSettings {
  const enabled = settings.enabled.filter((pattern) => !names.includes(pattern));
  return { enabled, disabled: [...settings.disabled, ...names.filter((name) => coveredBy(enabled, name))] };
}

/**
 * Replaces the wildcards that switch sets off, and those that would switch sets on instead, by names. The states stay
 * the same.
 */
function withoutBars(
  settings: FeatureSetSettings,
  declared: readonly string[],
  barring: readonly string[],
): FeatureSetSettings {
  const overlaps = (pattern: string): boolean =>
    isWildcard(pattern) && barring.some((bar) => covers(bar, pattern) || covers(pattern, bar));
  const kept = settings.enabled.filter((pattern) => !overlaps(pattern));
  const named = declared.filter((name) => isChosen(settings, name) && !coveredBy(kept, name));
  const enabled = [...kept, ...new Set(named)];
  const others = settings.disabled.filter((off) => !barring.includes(off));
  const barred = enabled.filter((name) => coveredBy(barring, name) && !coveredBy(others, name));
  return { enabled, disabled: [...others, ...barred] };
}

/** Whether a set declares a use, as a whole or, since MCPL 0.5, by one of its parts. */
export function declaresUse({ uses }: Pick<FeatureSet, 'uses'>, use: Capability): boolean {
  return uses.includes(use) || uses.some((part) => part.startsWith(`${use}.`));
}
