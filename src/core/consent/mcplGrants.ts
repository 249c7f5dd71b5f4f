import { assertNever } from '../base/errors.ts';
import { covers, nearestPattern } from '../model/featureSetPattern.ts';
import type { FeatureSetSettings, McplSettings } from '../model/mcpl.ts';
import { type FeatureSetRegion, grantLine, type McplGrant, readGrantLine } from '../model/mcplGrant.ts';
import type { ServerDefinition } from '../model/server.ts';
import type { Consent } from '../ports.ts';
import { isOnThroughout } from '../mcpl/featureSets.ts';
import type { ScopeSettings } from '../model/scope.ts';

type Granting = Pick<ServerDefinition, 'mcpl' | 'workspaceGrants'>;

/** Whether the workspace grants MCPL rights that were not allowed, however they are written. */
export function isMcplWidened(definition: Granting, consent: Consent | undefined): boolean {
  const allowed = grantsIn(consent?.grants.others);
  if (refusedGrants(definition, allowed).length > 0) return true;
  if (refusedIn(definition, allowed).size > 0) return true;
  const sets = new FeatureSetReview(definition, allowed);
  return sets.patterns.some((pattern) => sets.isRefused(pattern));
}

/** The effective MCPL settings of a server. Workspace values only count if they were allowed. */
export function effectiveMcpl(definition: Granting, consent: Consent | undefined): McplSettings {
  if (definition.workspaceGrants.length === 0) return definition.mcpl;
  const allowed = grantsIn(consent?.grants.others);
  const featureSets = new FeatureSetReview(definition, allowed).effective();
  const refused = refusedGrants(definition, allowed);
  const { push, toolFeatureSets, scopes } = definition.mcpl;
  return refused.reduce(without, {
    ...definition.mcpl,
    featureSets,
    push: withMembers(
      push,
      refused.flatMap((grant) => (grant.kind === 'infer' ? [[grant.pattern, grant.instead]] : [])),
    ),
    toolFeatureSets: withMembers(
      toolFeatureSets,
      refused.flatMap((grant) => (grant.kind === 'tool' ? [[grant.tool, grant.instead]] : [])),
    ),
    scopes: {
      lists: withoutPatterns(scopes.lists, refusedIn(definition, allowed)),
      adapters: withMembers(
        scopes.adapters,
        refused.flatMap((grant) => (grant.kind === 'adapter' ? [[grant.tool, grant.instead]] : [])),
      ),
    },
  });
}

/** The consent after the user switched feature sets in a view. */
export function withFeatureSets(
  lines: readonly string[],
  names: readonly string[],
  enabled: boolean,
): readonly string[] {
  const grants = grantsIn(lines);
  const others = lines.filter((line) => readGrantLine(line)?.kind !== 'featureSets');
  const regions = regionsOf(grants).flatMap<FeatureSetRegion>(({ pattern, except }) => {
    if (names.includes(pattern)) return [];
    const taken = names.filter((name) => covers(pattern, name) && !except.includes(name));
    return [{ pattern, except: enabled ? except : [...except, ...taken].sort() }];
  });
  const chosen = enabled ? names.map((name) => ({ pattern: name, except: [] })) : [];
  const all = [...regions, ...chosen].map((region) => grantLine({ kind: 'featureSets', region }));
  return [...new Set([...others, ...all])].sort();
}

/** The consent after the user changed in a view whether events start a model. */
export function withInfer(lines: readonly string[], name: string, infers: boolean): readonly string[] {
  const others = lines.filter((line) => {
    const grant = readGrantLine(line);
    return grant?.kind !== 'infer' || grant.pattern !== name;
  });
  const chosen = infers ? [grantLine({ kind: 'infer', pattern: name, instead: 'notify' })] : [];
  return [...others, ...chosen].sort();
}

export function grantsIn(lines: readonly string[] = []): readonly McplGrant[] {
  return lines.map(readGrantLine).filter((grant) => grant !== undefined);
}

function regionsOf(grants: readonly McplGrant[]): readonly FeatureSetRegion[] {
  return grants.flatMap((grant) => (grant.kind === 'featureSets' ? [grant.region] : []));
}

/** Compares effective and allowed sets, pattern by pattern. That is enough, because patterns are nested or disjoint. */
class FeatureSetReview {
  /** All mentioned patterns. Each stands for its names except those of narrower patterns. */
  readonly patterns: readonly string[];
  readonly #settings: FeatureSetSettings;
  readonly #added: readonly FeatureSetRegion[];
  readonly #allowed: readonly FeatureSetRegion[];

  constructor({ mcpl, workspaceGrants }: Granting, allowed: readonly McplGrant[]) {
    this.#settings = mcpl.featureSets;
    this.#added = regionsOf(grantsIn(workspaceGrants));
    this.#allowed = this.#added.length === 0 ? [] : regionsOf(allowed);
    const ofRegions = [...this.#added, ...this.#allowed].flatMap(({ pattern, except }) => [pattern, ...except]);
    const all = [...this.#settings.enabled, ...this.#settings.disabled, ...ofRegions];
    this.patterns = this.#added.length === 0 ? [] : [...new Set(all)];
  }

  isRefused(pattern: string): boolean {
    return isOnThroughout(this.#settings, pattern) && isIn(this.#added, pattern) && !isIn(this.#allowed, pattern);
  }

  /** Lists that enable exactly what is on and was not refused. Fewer if lists cannot express it. */
  effective(): FeatureSetSettings {
    if (!this.patterns.some((pattern) => this.isRefused(pattern))) return this.#settings;
    const isOn = (pattern: string): boolean => isOnThroughout(this.#settings, pattern) && !this.isRefused(pattern);
    const enabled = this.patterns.filter(isOn);
    const off = this.patterns.filter((pattern) => !isOn(pattern));
    return { enabled, disabled: off.filter((pattern) => enabled.some((wider) => covers(wider, pattern))) };
  }
}

function isIn(regions: readonly FeatureSetRegion[], pattern: string): boolean {
  return regions.some(
    (region) => covers(region.pattern, pattern) && !region.except.some((inner) => covers(inner, pattern)),
  );
}

function refusedGrants({ workspaceGrants }: Granting, allowed: readonly McplGrant[]): readonly McplGrant[] {
  return grantsIn(workspaceGrants).filter(
    (grant) =>
      grant.kind !== 'featureSets' && grant.kind !== 'whitelist' && !allowed.some((given) => isWithin(grant, given)),
  );
}

function refusedIn({ mcpl, workspaceGrants }: Granting, allowed: readonly McplGrant[]): RefusedPatterns {
  return refusedPatterns(mcpl.scopes.lists, grantsIn(workspaceGrants), allowed);
}

function isWithin(wanted: McplGrant, given: McplGrant): boolean {
  switch (wanted.kind) {
    case 'infer':
      return given.kind === wanted.kind && covers(given.pattern, wanted.pattern);
    case 'requestsPerHour':
    case 'tokensPerDay':
      return given.kind === wanted.kind && given.most >= wanted.most;
    default:
      return given.kind === wanted.kind && replacementKey(given) === replacementKey(wanted);
  }
}

/** The parts that equal grants share, without the replaced values. */
function replacementKey(grant: McplGrant): string {
  switch (grant.kind) {
    case 'position':
      return grant.position;
    case 'tool':
      return JSON.stringify([grant.tool, grant.featureSet]);
    case 'adapter':
      return JSON.stringify([grant.tool, grant.paths]);
    case 'model':
      return grant.model;
    default:
      return '';
  }
}

function without(settings: McplSettings, refused: McplGrant): McplSettings {
  const { hooks, inference } = settings;
  switch (refused.kind) {
    // There may be a thousand of these, so they are removed together.
    case 'featureSets':
    case 'infer':
    case 'tool':
    case 'whitelist':
    case 'adapter':
    // An open connection continues. The next one waits for consent.
    case 'withoutMcpl':
      return settings;
    case 'readUserMessage':
      return { ...settings, hooks: { ...hooks, readUserMessage: false } };
    case 'position':
      return { ...settings, hooks: { ...hooks, positions: hooks.positions.filter((at) => at !== refused.position) } };
    case 'model':
      return { ...settings, inference: { ...inference, model: refused.instead } };
    case 'requestsPerHour':
    case 'tokensPerDay':
      return { ...settings, inference: { ...inference, [refused.kind]: refused.instead } };
    default:
      return assertNever(refused);
  }
}

/** Not by assignment, because a member may be named `__proto__`. */
function withMembers<T>(
  members: Readonly<Record<string, T>>,
  changes: readonly (readonly [string, T | undefined])[],
): Readonly<Record<string, T>> {
  const changed = new Map<string, T>(Object.entries(members));
  for (const [name, value] of changes)
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  return Object.fromEntries(changed);
}

/** Patterns that were not allowed, by their key in `scopes`. */
type RefusedPatterns = ReadonlyMap<string, ReadonlySet<string>>;

/** Compares whitelists name by name, because the most specific key applies. */
function refusedPatterns(
  lists: ScopeSettings['lists'],
  grants: readonly McplGrant[],
  allowed: readonly McplGrant[],
): RefusedPatterns {
  const wanted = whitelistsIn(grants);
  const refused = new Map<string, Set<string>>();
  if (wanted.size === 0) return refused;
  const given = whitelistsIn(allowed);
  const keys = Object.keys(lists);
  // A removed key was an exception from a wider one. For its names, the wider key is compared with what was allowed.
  for (const name of new Set([...keys, ...given.keys()])) {
    const key = nearestPattern(keys, name);
    if (key === undefined) continue;
    const known = valueAtNearestPattern(given, name);
    for (const pattern of valueAtNearestPattern(wanted, name) ?? []) {
      if (known?.has(pattern) === true) continue;
      const patterns = refused.get(key) ?? new Set();
      refused.set(key, patterns.add(pattern));
    }
  }
  return refused;
}

function whitelistsIn(grants: readonly McplGrant[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    grants.flatMap((grant) => (grant.kind === 'whitelist' ? [[grant.featureSet, new Set(grant.patterns)]] : [])),
  );
}

function valueAtNearestPattern<T>(members: ReadonlyMap<string, T>, name: string): T | undefined {
  const nearest = nearestPattern([...members.keys()], name);
  return nearest === undefined ? undefined : members.get(nearest);
}

function withoutPatterns(lists: ScopeSettings['lists'], refused: RefusedPatterns): ScopeSettings['lists'] {
  return Object.fromEntries(
    Object.entries(lists).map(([key, given]) => {
      const less = refused.get(key);
      return [key, less ? { ...given, whitelist: given.whitelist.filter((pattern) => !less.has(pattern)) } : given];
    }),
  );
}
