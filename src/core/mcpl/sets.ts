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
  /** The same object for as long as nothing in it changes. */
  settings(): McplSettings;
}

/**
 * What the settings say of one server and its sets. Asked several times with each message and the same for thousands of
 * them, so it is worked out once: of an event that was a tenth of its cost.
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

  /** What it does not ask to see or to write, a server does not get, whatever the settings allow. */
  get settings(): McplSettings {
    const given = this.#options.settings();
    if (this.#narrowed !== undefined && this.#given === given) return this.#narrowed;
    this.#states.clear();
    this.#given = given;
    this.#narrowed = narrowed(given, this.#reach);
    return this.#narrowed;
  }

  /** Another connection, which may ask for other parts; absent without a hook before an inference. */
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

  /** Keeps the form of each set that is on. Wildcards turn on no set that is declared after this. */
  settle(sets: readonly FeatureSet[]): void {
    const { grants, server } = this.#options;
    const on = sets.filter((set) => this.of(set) === 'enabled');
    const wildcards = this.settings.featureSets.enabled.filter(isWildcard);
    const fresh = sets.length === 0 ? [] : grants.use(server, wildcards);
    // A set that the settings except from the wildcard was there too when a person wrote it.
    const excepted = sets.filter((set) => set.problem === undefined && coveredBy(fresh, set.name));
    grants.accept(server, [...new Set([...on, ...excepted.filter(({ name }) => !grants.isKnown(server, name))])]);
  }

  /** A person chose, or the server declared: what was found may no longer be true. */
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

/** Names and descriptions of sets are shown, and kept in the audit: a set whose name contains a secret is left out. */
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

/** The name of what stands for a server that declares no sets; it never goes on the wire. */
export const UNDECLARED = '(undeclared)';

/** A server that takes part in inference and declares no sets has one for all of it, off like any other. */
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

/** The message by which a server makes use of a set. */
export const OPERATIONS: Readonly<Record<Capability, string>> = {
  pushEvents: 'push/event',
  inferenceRequest: 'inference/request',
  'inferenceRequest.streaming': 'inference/request',
  modelInfo: 'model/info',
  tools: 'scope/elevate',
  'contextHooks.beforeInference': 'context/beforeInference',
  'contextHooks.afterInference': 'context/afterInference',
};

/** Everything, in words that any glob understands. */
const ALL = '**';

/**
 * The lists of its scoped sets as a server gets them (MCPL §7.2): with names instead of patterns of names, and paths
 * instead of variables. They only inform the server; the host never relies on them.
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

/** One withdrawn set is enough to keep tools off, so more than this need not be known. */
const MOST = 256;

/**
 * Feature sets that the server of this connection no longer declares, or declares without `tools`. Their tools stay off:
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

  /** The server declares `set` in the place of `before`. */
  replaced(before: FeatureSet | undefined, set: FeatureSet): void {
    if (set.uses.includes('tools')) this.#sets.delete(set.name);
    else if (before?.uses.includes('tools') === true) this.removed(before);
  }

  removed(set: FeatureSet | undefined): void {
    // A set that was declared without `tools` meanwhile counts as it was before.
    if (set !== undefined && this.#sets.size < MOST && !this.#sets.has(set.name)) this.#sets.set(set.name, set);
  }
}
