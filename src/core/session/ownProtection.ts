import { jsonEquals } from '../base/json.ts';
import { coveredBy, nearestPattern } from '../model/featureSetPattern.ts';
import type { FeatureSetSettings, McplSettings, PushPolicy } from '../model/mcpl.ts';
import { PUSH_POLICIES } from '../model/mcpl.ts';
import type { ProtocolSettings } from '../model/server.ts';
import {
  answerOf,
  type ChangeDirection,
  type EntryKey,
  rulingOn,
  type Weakening,
  weakeningLine,
} from '../model/settingRules.ts';

/** The parts of an entry that protect the user, apart from the connection. */
export interface Protection {
  readonly enabled: boolean;
  readonly hiddenTools: readonly string[];
  readonly protocol: ProtocolSettings;
  readonly mcpl: McplSettings;
}

/** Whether every answer must pass this server. */
export function isGuard({ mcpl }: Pick<Protection, 'mcpl'>): boolean {
  return mcpl.hooks.afterInference === 'failClosed';
}

/** One difference between user settings and merged settings. */
interface Change {
  readonly key: EntryKey;
  readonly path: readonly string[];
  readonly direction: ChangeDirection | 'unordered';
  readonly value: unknown;
  readonly instead: unknown;
  /** Restores the user's value. */
  restore(all: Protection): Protection;
}

interface Protected {
  /** The effective values: workspace values if they are free or agreed, else the user's. */
  readonly effective: Protection;
  /** Values that wait for the user. */
  readonly open: readonly Weakening[];
  /** Values that a workspace cannot set, whatever the user agreed to. */
  readonly refused: readonly Weakening[];
}

/**
 * Keeps user values where workspace values would weaken them without the user's consent, or may never replace them.
 * Compares in both directions, so that a rule in `settingRules.ts` applies as soon as it is written.
 */
export function withOwnProtection(
  own: Protection,
  all: Protection,
  says: (path: readonly string[]) => boolean,
  isAgreed: (line: string, key: EntryKey) => boolean,
  answer = answerOf,
): Protected {
  const guards = isGuard(own);
  const open: Weakening[] = [];
  const refused: Weakening[] = [];
  let effective = all;
  for (const change of changes(own, all, says)) {
    const { key, path } = change;
    const ruling = rulingOn(key, change.direction, guards, answer);
    if (ruling === 'applies') continue;
    const value = JSON.stringify(change.value);
    const weakening: Weakening = { key, path, value, instead: JSON.stringify(change.instead) };
    if (ruling === 'asks' && isAgreed(weakeningLine(weakening), key)) continue;
    (ruling === 'asks' ? open : refused).push(weakening);
    effective = change.restore(effective);
  }
  return { effective, open, refused };
}

function changes(own: Protection, all: Protection, says: (path: readonly string[]) => boolean): readonly Change[] {
  return [
    ...enabledChange(own, all),
    ...protocolChanges(own, all),
    ...featureSetChanges(own.mcpl.featureSets, all.mcpl.featureSets),
    ...hookChanges(own, all),
    ...pushChanges(own.mcpl.push, all.mcpl.push),
    ...inferenceChanges(own, all),
    ...hiddenChanges(own.hiddenTools, all.hiddenTools),
  ].filter(({ path }) => says(path));
}

function directionOf(own: number, all: number): ChangeDirection {
  return all < own ? 'narrowing' : 'widening';
}

function enabledChange({ enabled: instead }: Protection, { enabled: value }: Protection): readonly Change[] {
  if (instead === value) return [];
  const restore = (to: Protection): Protection => ({ ...to, enabled: instead });
  const direction = instead ? 'narrowing' : 'widening';
  return [{ key: 'enabled', path: ['enabled'], direction, value, instead, restore }];
}

function protocolChanges(own: Protection, all: Protection): readonly Change[] {
  return (['era', 'dialect', 'mcpl'] as const)
    .filter((key) => own.protocol[key] !== all.protocol[key])
    .map((key) => ({
      key: `protocol.${key}`,
      path: ['protocol', key],
      direction: 'unordered',
      value: all.protocol[key],
      instead: own.protocol[key],
      restore: (to) => ({ ...to, protocol: { ...to.protocol, [key]: own.protocol[key] } }),
    }));
}

/** Both lists work together, so they are kept together. */
function featureSetChanges(own: FeatureSetSettings, all: FeatureSetSettings): readonly Change[] {
  const isOn = ({ enabled, disabled }: FeatureSetSettings, pattern: string): boolean =>
    coveredBy(enabled, pattern) && !coveredBy(disabled, pattern);
  // Patterns are nested or disjoint, so comparing the known ones is enough.
  const known = [...new Set([...own.enabled, ...own.disabled, ...all.enabled, ...all.disabled])];
  const directions: ChangeDirection[] = [];
  if (known.some((pattern) => isOn(own, pattern) && !isOn(all, pattern))) directions.push('narrowing');
  if (known.some((pattern) => !isOn(own, pattern) && isOn(all, pattern))) directions.push('widening');
  const listOf = ({ enabled, disabled }: FeatureSetSettings): unknown => [[...enabled].sort(), [...disabled].sort()];
  const key = jsonEquals(own.disabled, all.disabled) ? 'enabled' : 'disabled';
  return directions.map((direction) => ({
    key: `featureSets.${key}`,
    path: ['featureSets', key],
    direction,
    value: listOf(all),
    instead: listOf(own),
    restore: (to) => ({ ...to, mcpl: { ...to.mcpl, featureSets: own } }),
  }));
}

function hookChanges(own: Protection, all: Protection): readonly Change[] {
  const mine = own.mcpl.hooks;
  const theirs = all.mcpl.hooks;
  const change = <K extends keyof typeof mine>(
    key: K,
    direction: Change['direction'],
    back: (now: (typeof mine)[K]) => (typeof mine)[K] = () => mine[key],
  ): Change => ({
    key: `hooks.${key}`,
    path: ['hooks', key],
    direction,
    value: theirs[key],
    instead: mine[key],
    restore: (to) => ({
      ...to,
      mcpl: { ...to.mcpl, hooks: { ...to.mcpl.hooks, [key]: back(to.mcpl.hooks[key]) } },
    }),
  });
  const changed = (key: keyof typeof mine, direction: Change['direction']): readonly Change[] =>
    mine[key] === theirs[key] ? [] : [change(key, direction)];
  const lost = mine.positions.filter((position) => !theirs.positions.includes(position));
  const added = theirs.positions.filter((position) => !mine.positions.includes(position));
  return [
    ...changed('order', 'unordered'),
    ...changed('readUserMessage', mine.readUserMessage ? 'narrowing' : 'widening'),
    ...(lost.length > 0 ? [change('positions', 'narrowing', (now) => [...now, ...lost])] : []),
    ...(added.length > 0
      ? [change('positions', 'widening', (now) => now.filter((position) => !added.includes(position)))]
      : []),
    ...changed('afterInference', mine.afterInference === 'failClosed' ? 'narrowing' : 'widening'),
    ...changed('beforeTimeoutMs', directionOf(mine.beforeTimeoutMs, theirs.beforeTimeoutMs)),
    ...changed('afterTimeoutMs', directionOf(mine.afterTimeoutMs, theirs.afterTimeoutMs)),
  ];
}

/** Compares with the user's policies for the same events. Without one, "infer" compares with "notify". */
function pushChanges(own: McplSettings['push'], all: McplSettings['push']): readonly Change[] {
  const known = Object.keys(own);
  return Object.entries(all).flatMap(([pattern, policy]) => {
    const nearest = nearestPattern(known, pattern);
    const mine = (nearest === undefined ? undefined : own[nearest]) ?? (policy === 'infer' ? 'notify' : undefined);
    if (mine === undefined || mine === policy) return [];
    const rank = (some: PushPolicy): number => PUSH_POLICIES.indexOf(some);
    const restore = (to: Protection): Protection => ({
      ...to,
      mcpl: { ...to.mcpl, push: Object.fromEntries([...Object.entries(to.mcpl.push), [pattern, mine]]) },
    });
    const key = policy === 'infer' ? 'push.infer' : 'push';
    const direction = directionOf(rank(mine), rank(policy));
    return [{ key, path: ['push', pattern], direction, value: policy, instead: mine, restore } as const];
  });
}

function inferenceChanges(own: Protection, all: Protection): readonly Change[] {
  const mine = own.mcpl.inference;
  const theirs = all.mcpl.inference;
  return (['model', 'requestsPerHour', 'tokensPerDay'] as const)
    .filter((key) => mine[key] !== theirs[key])
    .map((key) => ({
      key: `inference.${key}`,
      path: ['inference', key],
      direction: key === 'model' ? 'unordered' : directionOf(mine[key], theirs[key]),
      value: theirs[key] ?? null,
      instead: mine[key] ?? null,
      restore: (to) => ({ ...to, mcpl: { ...to.mcpl, inference: { ...to.mcpl.inference, [key]: mine[key] } } }),
    }));
}

function hiddenChanges(own: readonly string[], all: readonly string[]): readonly Change[] {
  const shown = own.filter((tool) => !all.includes(tool));
  const hidden = all.filter((tool) => !own.includes(tool));
  const change = (direction: ChangeDirection, back: (now: readonly string[]) => readonly string[]): Change => ({
    key: 'tools.hidden',
    path: ['tools', 'hidden'],
    direction,
    value: [...all].sort(),
    instead: [...own].sort(),
    restore: (to) => ({ ...to, hiddenTools: back(to.hiddenTools) }),
  });
  return [
    ...(shown.length > 0 ? [change('widening', (now) => [...now, ...shown])] : []),
    ...(hidden.length > 0 ? [change('narrowing', (now) => now.filter((tool) => !hidden.includes(tool)))] : []),
  ];
}
