import type { FeatureSet, FeatureSetState, McplSettings, McplDialect, Capability } from '../model/mcpl.ts';
import { coveredBy, isWildcard } from '../model/featureSetPattern.ts';
import { isChosen } from './featureSets.ts';
import type { HookReach, McplAdvert, SentScopes } from '../wire/mcpl/advert.ts';
import type { FormGrants } from './formGrants.ts';
import type { ScopeSettings } from '../model/scope.ts';
import { listsFor } from '../scopes/paths/toolScopes.ts';

/** Names of sets, each in one of the lists (MCPL §6.7). */
export type Partition = Readonly<Record<'enabled' | 'disabled', string[]>>;

interface SetStatesOptions {
  readonly server: string;
  readonly grants: FormGrants;
  /** Returns the same object until something changes. */
  settings(): McplSettings;
}

/**
 * The settings of one server and its sets. Cached, because each message needs them several times: without the cache
 * they were a tenth of the cost of an event.
 */
export class SetStates {
  readonly #options: SetStatesOptions;
  readonly #states = new Map<FeatureSet, FeatureSetState>();
  #reach: HookReach | undefined;
  #given: McplSettings | undefined;
  #narrowed: McplSettings | undefined;

  constructor(options: SetStatesOptions) {
    this.#options = options;
  }

  /** Denies everything that the server does not ask to read or change, whatever the settings allow. */
  get settings(): McplSettings {
    const given = this.#options.settings();
    if (this.#narrowed !== undefined && this.#given === given) return this.#narrowed;
    this.#states.clear();
    this.#given = given;
    this.#narrowed = narrowed(given, this.#reach);
    return this.#narrowed;
  }

  /** Call this for a new connection, which may request other parts. Absent without a hook before inference. */
  begin(reach: HookReach | undefined): void {
    this.#reach = reach;
    this.#narrowed = undefined;
  }

  of(set: FeatureSet): FeatureSetState {
    const { featureSets } = this.settings;
    const known = this.#states.get(set);
    if (known !== undefined) return known;
    const state = this.#find(set, isChosen(featureSets, set.name));
    this.#states.set(set, state);
    return state;
  }

  partition(sets: readonly FeatureSet[]): Partition {
    const isOn = (set: FeatureSet): boolean => this.of(set) === 'enabled';
    return {
      enabled: sets.filter(isOn).map(({ name }) => name),
      disabled: sets.filter((set) => !isOn(set)).map(({ name }) => name),
    };
  }

  /** Stores the form of each set that is on. Wildcards match no sets that are declared later. */
  settle(sets: readonly FeatureSet[]): void {
    const { grants, server } = this.#options;
    const on = sets.filter((set) => this.of(set) === 'enabled');
    const wildcards = this.settings.featureSets.enabled.filter(isWildcard);
    const fresh = sets.length === 0 ? [] : grants.use(server, wildcards);
    // A set that the settings exclude from the wildcard existed when the user wrote it.
    const excepted = sets.filter((set) => set.problem === undefined && coveredBy(fresh, set.name));
    grants.accept(server, [...new Set([...on, ...excepted.filter(({ name }) => !grants.isKnown(server, name))])]);
  }

  /** Drops the cache after a choice of the user or a new declaration. */
  forget(): void {
    this.#states.clear();
  }

  #find(set: FeatureSet, chosen: boolean): FeatureSetState {
    if (set.problem !== undefined) return 'invalid';
    if (!chosen) return 'disabled';
    const { grants, server } = this.#options;
    if (grants.isNew(server, set.name, this.settings.featureSets.enabled)) return 'new';
    return grants.isChanged(server, set) ? 'changed' : 'enabled';
  }
}

function narrowed(settings: McplSettings, wanted: HookReach | undefined): McplSettings {
  if (wanted === undefined) return settings;
  const { hooks } = settings;
  const positions = hooks.positions.filter((position) => wanted.positions.includes(position));
  if (positions.length === hooks.positions.length && (wanted.userMessage || !hooks.readUserMessage)) return settings;
  return { ...settings, hooks: { ...hooks, positions, readUserMessage: hooks.readUserMessage && wanted.userMessage } };
}

type Redact = (text: string) => string;

/** Names and descriptions of sets are shown and audited. A set whose name contains a secret is omitted. */
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

/** The name of the set that stands for a server without declared sets. Never sent. */
export const UNDECLARED = '(undeclared)';

/**
 * A server that uses hooks or inference and declares no sets gets one set for all of it. It is off like any new set.
 */
export function undeclaredSet(dialect: McplDialect): readonly FeatureSet[] {
  const uses: Capability[] = [];
  if (dialect.before) uses.push('contextHooks.beforeInference');
  if (dialect.after !== 'none') uses.push('contextHooks.afterInference');
  if (uses.length === 0) return [];
  const description = 'Actions of this server without a declared feature set.';
  return [
    { name: UNDECLARED, description, uses, scoped: false, rollback: false, hostState: false, problem: undefined },
  ];
}

/** The method that uses a capability. */
export const OPERATIONS: Readonly<Record<Capability, string>> = {
  pushEvents: 'push/event',
  inferenceRequest: 'inference/request',
  'inferenceRequest.streaming': 'inference/request',
  modelInfo: 'model/info',
  tools: 'scope/elevate',
  'contextHooks.beforeInference': 'context/beforeInference',
  'contextHooks.afterInference': 'context/afterInference',
};

/** Matches everything in any glob dialect. */
const ALL = '**';

/**
 * The scope lists for the server (MCPL §7.2): with names of sets instead of patterns, and paths instead of variables.
 * They only inform the server; the host never relies on them.
 */
export function sentScopes(
  settings: ScopeSettings,
  sets: readonly FeatureSet[],
  expand: (pattern: string) => string,
): SentScopes {
  const written = Object.keys(settings.lists).filter((key) => !isWildcard(key));
  const declared = sets.filter(({ scoped }) => scoped).map(({ name }) => name);
  // Before its first handshake its sets are unknown, except those in settings.
  const names = declared.length > 0 ? declared : written;
  const entries = names.map((name) => {
    const { whitelist, blacklist, isBroken } = listsFor(settings, name);
    const denied = isBroken ? [...blacklist, ALL] : blacklist;
    return [name, { whitelist: whitelist.map(expand), blacklist: denied.map(expand) }] as const;
  });
  return Object.fromEntries(entries.filter(([, lists]) => lists.whitelist.length + lists.blacklist.length > 0));
}

/** Maximum remembered sets. One withdrawn set is enough to block tools, so further ones are not needed. */
const MOST = 256;

/**
 * Sets that the server of this connection no longer declares, or declares without `tools`. Their tools stay off:
 * otherwise a server could free the tools of a set by withdrawing it.
 */
export class WithdrawnSets {
  readonly #sets = new Map<string, FeatureSet>();

  get all(): readonly FeatureSet[] {
    return [...this.#sets.values()];
  }

  clear(): void {
    this.#sets.clear();
  }

  /** A declaration of `set` replaced `before`. */
  replaced(before: FeatureSet | undefined, set: FeatureSet): void {
    if (set.uses.includes('tools')) this.#sets.delete(set.name);
    else if (before?.uses.includes('tools') === true) this.removed(before);
  }

  removed(set: FeatureSet | undefined): void {
    // A set that was declared again without `tools` still counts with its earlier declaration.
    if (set !== undefined && this.#sets.size < MOST && !this.#sets.has(set.name)) this.#sets.set(set.name, set);
  }
}
