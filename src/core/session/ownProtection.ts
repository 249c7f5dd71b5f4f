import { coveredBy, nearestPattern } from '../model/featureSetPattern.ts';
import type { FeatureSetSettings, McplSettings, PushPolicy } from '../model/mcpl.ts';
import { PUSH_POLICIES } from '../model/mcpl.ts';
import type { ProtocolSettings } from '../model/server.ts';
import { type ChangeDirection, type EntryKey, keepsOwn, type Weakening, weakeningLine } from '../model/settingRules.ts';

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
  readonly direction: ChangeDirection;
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
}

/** Keeps user values where workspace values would weaken them without the user's consent. */
export function withOwnProtection(
  own: Protection,
  all: Protection,
  says: (path: readonly string[]) => boolean,
  isAgreed: (line: string, key: EntryKey) => boolean,
): Protected {
  const guards = isGuard(own);
  const open: Weakening[] = [];
  let effective = all;
  for (const change of changes(own, all, says)) {
    if (!keepsOwn(change.key, change.direction, guards)) continue;
    const { key, path } = change;
    const value = JSON.stringify(change.value);
    const weakening: Weakening = { key, path, value, instead: JSON.stringify(change.instead) };
    if (isAgreed(weakeningLine(weakening), key)) continue;
    open.push(weakening);
    effective = change.restore(effective);
  }
  return { effective, open };
}

function changes(own: Protection, all: Protection, says: (path: readonly string[]) => boolean): readonly Change[] {
  return [
    ...enabledChange(own, all),
    ...protocolChanges(own, all),
    ...featureSetChanges(own.mcpl.featureSets, all.mcpl.featureSets),
    ...hookChanges(own, all),
    ...pushChanges(own.mcpl.push, all.mcpl.push),
    ...budgetChanges(own, all),
    ...hiddenChanges(own.hiddenTools, all.hiddenTools),
  ].filter(({ path }) => says(path));
}

function enabledChange(own: Protection, all: Protection): readonly Change[] {
  if (!own.enabled || all.enabled) return [];
  const restore = (to: Protection): Protection => ({ ...to, enabled: true });
  return [{ key: 'enabled', path: ['enabled'], direction: 'narrowing', value: false, instead: true, restore }];
}

function protocolChanges(own: Protection, all: Protection): readonly Change[] {
  return (['era', 'dialect', 'mcpl'] as const)
    .filter((key) => own.protocol[key] !== all.protocol[key])
    .map((key) => ({
      key: `protocol.${key}`,
      path: ['protocol', key],
      direction: 'narrowing',
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
  const known = new Set([...own.enabled, ...all.enabled, ...all.disabled]);
  if (![...known].some((pattern) => isOn(own, pattern) && !isOn(all, pattern))) return [];
  const listOf = ({ enabled, disabled }: FeatureSetSettings): unknown => [[...enabled].sort(), [...disabled].sort()];
  const key = sameList(own.disabled, all.disabled) ? 'enabled' : 'disabled';
  return [
    {
      key: `featureSets.${key}`,
      path: ['featureSets', key],
      direction: 'narrowing',
      value: listOf(all),
      instead: listOf(own),
      restore: (to) => ({ ...to, mcpl: { ...to.mcpl, featureSets: own } }),
    },
  ];
}

function hookChanges(own: Protection, all: Protection): readonly Change[] {
  const mine = own.mcpl.hooks;
  const theirs = all.mcpl.hooks;
  const back = (hooks: Partial<typeof mine>) => (to: Protection) => ({
    ...to,
    mcpl: { ...to.mcpl, hooks: { ...to.mcpl.hooks, ...hooks } },
  });
  const change = <K extends keyof typeof mine>(
    key: K,
    direction: ChangeDirection | undefined,
    hooks: Partial<typeof mine> = { [key]: mine[key] },
  ): readonly Change[] =>
    direction === undefined
      ? []
      : [
          {
            key: `hooks.${key}`,
            path: ['hooks', key],
            direction,
            value: theirs[key],
            instead: mine[key],
            restore: back(hooks),
          },
        ];
  const lost = mine.positions.filter((position) => !theirs.positions.includes(position));
  const narrowed = (is: boolean): ChangeDirection | undefined => (is ? 'narrowing' : undefined);
  return [
    ...change('order', narrowed(mine.order !== theirs.order)),
    ...change('readUserMessage', narrowed(mine.readUserMessage && !theirs.readUserMessage)),
    ...change('positions', narrowed(lost.length > 0), { positions: [...theirs.positions, ...lost] }),
    ...change('afterInference', narrowed(mine.afterInference === 'failClosed' && theirs.afterInference === 'failOpen')),
    ...change('beforeTimeoutMs', narrowed(theirs.beforeTimeoutMs < mine.beforeTimeoutMs)),
    ...change('afterTimeoutMs', narrowed(theirs.afterTimeoutMs < mine.afterTimeoutMs)),
  ];
}

/** Compares with the user's policies for the same events. `infer` belongs to the start prompt. */
function pushChanges(own: McplSettings['push'], all: McplSettings['push']): readonly Change[] {
  const known = Object.keys(own);
  return Object.entries(all).flatMap(([pattern, policy]) => {
    const nearest = nearestPattern(known, pattern);
    const mine = nearest === undefined ? undefined : own[nearest];
    if (mine === undefined || mine === policy || policy === 'infer') return [];
    const rank = (some: PushPolicy): number => PUSH_POLICIES.indexOf(some);
    const restore = (to: Protection): Protection => ({
      ...to,
      mcpl: { ...to.mcpl, push: Object.fromEntries([...Object.entries(to.mcpl.push), [pattern, mine]]) },
    });
    const direction = rank(policy) < rank(mine) ? 'narrowing' : 'widening';
    return [{ key: 'push', path: ['push', pattern], direction, value: policy, instead: mine, restore } as const];
  });
}

function budgetChanges(own: Protection, all: Protection): readonly Change[] {
  return (['requestsPerHour', 'tokensPerDay'] as const)
    .filter((key) => all.mcpl.inference[key] < own.mcpl.inference[key])
    .map((key) => ({
      key: `inference.${key}`,
      path: ['inference', key],
      direction: 'narrowing',
      value: all.mcpl.inference[key],
      instead: own.mcpl.inference[key],
      restore: (to) => ({
        ...to,
        mcpl: { ...to.mcpl, inference: { ...to.mcpl.inference, [key]: own.mcpl.inference[key] } },
      }),
    }));
}

function hiddenChanges(own: readonly string[], all: readonly string[]): readonly Change[] {
  const shown = own.filter((tool) => !all.includes(tool));
  if (shown.length === 0) return [];
  const restore = (to: Protection): Protection => ({ ...to, hiddenTools: [...to.hiddenTools, ...shown] });
  const [value, instead] = [[...all].sort(), [...own].sort()];
  return [{ key: 'tools.hidden', path: ['tools', 'hidden'], direction: 'widening', value, instead, restore }];
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
