import { jsonEquals } from '../base/json.ts';
import { coveredBy, covers, nearestPattern } from '../model/featureSetPattern.ts';
import type { FeatureSetSettings, McplSettings, PushPolicy } from '../model/mcpl.ts';
import { DEFAULT_MCPL } from '../model/mcplDefaults.ts';
import { type FeatureSetRegion, grantLine, type McplGrant } from '../model/mcplGrant.ts';
import { answerOf, type EntryKey } from '../model/settingRules.ts';
import type { ScopeSettings } from '../model/scope.ts';
import type { ProtocolSettings, ServerDefinition } from '../model/server.ts';

type Granting = Pick<ServerDefinition, 'mcpl' | 'protocol'>;

/** What merged settings allow beyond user settings: one line each, sorted. */
export function workspaceGrants(
  { mcpl: merged, protocol }: Granting,
  { mcpl: own }: Pick<ServerDefinition, 'mcpl'>,
  definedBy: ServerDefinition['definedBy'],
): readonly string[] {
  const base = definedBy === 'user' ? own : withoutAllowances(own);
  const grants: readonly McplGrant[] = [
    ...addedRegions(merged.featureSets, base.featureSets).map<McplGrant>((region) => ({ kind: 'featureSets', region })),
    ...hookGrants(merged, base),
    ...inferGrants(merged.push, base.push),
    ...toolGrants(merged.toolFeatureSets, base.toolFeatureSets),
    ...inferenceGrants(merged, base),
    ...whitelistGrants(merged.scopes.lists, base.scopes.lists),
    ...adapterGrants(merged.scopes.adapters, base.scopes.adapters),
    ...(isWithoutMcpl(protocol) && definedBy !== 'user' ? [{ kind: 'withoutMcpl' } as const] : []),
  ];
  // The table decides which ones need a prompt.
  return grants
    .filter(({ kind }) => answerOf(GRANT_KEYS[kind], 'widening') === 'start')
    .map(grantLine)
    .sort();
}

/** The setting behind each kind of grant. */
const GRANT_KEYS: Readonly<Record<McplGrant['kind'], EntryKey>> = {
  featureSets: 'featureSets.enabled',
  readUserMessage: 'hooks.readUserMessage',
  position: 'hooks.positions',
  infer: 'push.infer',
  tool: 'toolFeatureSets',
  model: 'inference.model',
  requestsPerHour: 'inference.requestsPerHour',
  tokensPerDay: 'inference.tokensPerDay',
  whitelist: 'scopes.whitelist',
  adapter: 'scopeAdapters',
  // Without MCPL no set is off.
  withoutMcpl: 'featureSets.enabled',
};

/** A stateless connection does not carry requests of servers. */
function isWithoutMcpl({ mcpl, era }: ProtocolSettings): boolean {
  return mcpl === 'off' || era === 'modern';
}

/** The user's allow rules apply to the user's server, not to the workspace's. Deny rules stay. */
function withoutAllowances(own: McplSettings): McplSettings {
  const { hooks, inference } = DEFAULT_MCPL;
  const push = Object.entries(own.push).map<[string, PushPolicy]>(([pattern, policy]) => [
    pattern,
    policy === 'infer' ? 'notify' : policy,
  ]);
  return {
    featureSets: { enabled: [], disabled: own.featureSets.disabled },
    toolFeatureSets: {},
    hooks: {
      ...own.hooks,
      positions: own.hooks.positions.filter((position) => hooks.positions.includes(position)),
    },
    push: Object.fromEntries(push),
    inference: {
      model: own.inference.model,
      requestsPerHour: Math.min(own.inference.requestsPerHour, inference.requestsPerHour),
      tokensPerDay: Math.min(own.inference.tokensPerDay, inference.tokensPerDay),
    },
    // Adapters also belong to the user's server.
    scopes: {
      lists: Object.fromEntries(
        Object.entries(own.scopes.lists).map(([key, lists]) => [key, { ...lists, whitelist: [] }]),
      ),
      adapters: {},
    },
  };
}

/** Exactly the names that merged settings enable and user settings do not. */
function addedRegions(merged: FeatureSetSettings, base: FeatureSetSettings): readonly FeatureSetRegion[] {
  const regions = new Map<string, FeatureSetRegion>();
  // Without duplicates: a thousand patterns against a thousand give few regions.
  const add = (pattern: string, except: readonly string[]): void => {
    const key = JSON.stringify([pattern, ...except]);
    if (!regions.has(key)) regions.set(key, { pattern, except });
  };
  const freed = new Set<string>();
  for (const pattern of merged.enabled) {
    const known = coveredBy(base.enabled, pattern);
    const except = base.enabled.filter((mine) => covers(pattern, mine)).sort();
    if (!known) add(pattern, except);
    // A set that the user disabled becomes enabled if the workspace's `disabled` list lacks it.
    for (const off of base.disabled) {
      const inner = covers(pattern, off) ? off : covers(off, pattern) ? pattern : undefined;
      if (inner === undefined || freed.has(inner)) continue;
      if (!known && !except.some((mine) => covers(mine, inner) || covers(inner, mine))) continue;
      freed.add(inner);
      add(inner, []);
    }
  }
  return [...regions.values()].filter(({ pattern }) => !coveredBy(merged.disabled, pattern));
}

function hookGrants({ hooks }: McplSettings, { hooks: base }: McplSettings): readonly McplGrant[] {
  return [
    ...hooks.positions
      .filter((position) => !base.positions.includes(position))
      .map<McplGrant>((position) => ({ kind: 'position', position })),
    ...(hooks.readUserMessage && !base.readUserMessage ? [{ kind: 'readUserMessage' } as const] : []),
  ];
}

function inferGrants(merged: McplSettings['push'], base: McplSettings['push']): readonly McplGrant[] {
  const known = Object.keys(base);
  return Object.entries(merged).flatMap(([pattern, policy]) => {
    const nearest = nearestPattern(known, pattern);
    const instead = (nearest === undefined ? undefined : base[nearest]) ?? 'notify';
    return policy === 'infer' && instead !== 'infer' ? [{ kind: 'infer', pattern, instead }] : [];
  });
}

/** A tool assigned to another set may become callable. */
function toolGrants(
  merged: McplSettings['toolFeatureSets'],
  base: McplSettings['toolFeatureSets'],
): readonly McplGrant[] {
  return Object.entries(merged).flatMap(([tool, featureSet]) => {
    const instead = Object.hasOwn(base, tool) ? base[tool] : undefined;
    return featureSet === instead ? [] : [{ kind: 'tool', tool, featureSet, instead }];
  });
}

function inferenceGrants({ inference }: McplSettings, { inference: base }: McplSettings): readonly McplGrant[] {
  const { model } = inference;
  return [
    ...(model !== undefined && model !== base.model ? [{ kind: 'model', model, instead: base.model } as const] : []),
    ...(['requestsPerHour', 'tokensPerDay'] as const)
      .filter((kind) => inference[kind] > base[kind])
      .map((kind) => ({ kind, most: inference[kind], instead: base[kind] })),
  ];
}

/**
 * The whitelist of the most specific key applies, so compare key by key: what a key allows for its names beyond the
 * user's most specific key. A key that adds the same as the next wider one is implied. One that adds less must be
 * listed, or the wider one would seem to apply to its names too.
 */
function whitelistGrants(merged: ScopeSettings['lists'], base: ScopeSettings['lists']): readonly McplGrant[] {
  const keys = Object.keys(merged);
  const mine = Object.keys(base);
  const known = new Map(Object.entries(base).map(([key, { whitelist }]) => [key, new Set(whitelist)]));
  const added = new Map(
    Object.entries(merged).map(([key, { whitelist }]) => {
      const nearest = nearestPattern(mine, key);
      const allowed = nearest === undefined ? undefined : known.get(nearest);
      return [key, whitelist.filter((pattern) => allowed?.has(pattern) !== true).sort()];
    }),
  );
  return [...added].flatMap(([key, patterns]) => {
    const wider = nearestPattern(
      keys.filter((other) => other !== key),
      key,
    );
    const inherited = (wider === undefined ? undefined : added.get(wider)) ?? [];
    return jsonEquals(patterns, inherited) ? [] : [{ kind: 'whitelist', featureSet: key, patterns }];
  });
}

/** An adapter that selects targets also ignores others. */
function adapterGrants(merged: ScopeSettings['adapters'], base: ScopeSettings['adapters']): readonly McplGrant[] {
  return Object.entries(merged).flatMap(([tool, paths]) => {
    const instead = Object.hasOwn(base, tool) ? base[tool] : undefined;
    return instead !== undefined && jsonEquals(paths, instead) ? [] : [{ kind: 'adapter', tool, paths, instead }];
  });
}
