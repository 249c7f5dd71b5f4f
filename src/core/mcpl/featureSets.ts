import { coveredBy, covers, isFeatureSetName, isWildcard } from '../model/featureSetPattern.ts';
import type { FeatureSetSettings } from '../model/mcpl.ts';

/** Whether a name or a wildcard of the settings means this set. Nothing means a set that settings cannot name. */
export function matchesFeatureSet(pattern: string, name: string): boolean {
  return isFeatureSetName(name) && covers(pattern, name);
}

/** Off if no list names it, and if both do. */
export function isChosen(settings: FeatureSetSettings, name: string): boolean {
  return isFeatureSetName(name) && isOnThroughout(settings, name);
}

/** The same for all that a pattern stands for, but for what other patterns of these settings say of parts of it. */
export function isOnThroughout({ enabled, disabled }: FeatureSetSettings, pattern: string): boolean {
  return coveredBy(enabled, pattern) && !coveredBy(disabled, pattern);
}

/** Every name in exactly one of the two, in the order in which they came. */
export function partition(settings: FeatureSetSettings, names: readonly string[]): FeatureSetSettings {
  return {
    enabled: names.filter((name) => isChosen(settings, name)),
    disabled: names.filter((name) => !isChosen(settings, name)),
  };
}

/**
 * The settings after which these names are as wanted, and every other declared one is as before. It
 * never switches on undeclared sets, even if a wildcard must be removed.
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

/** The same states by names in place of the wildcards that switch off, and of those that would switch on instead. */
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
