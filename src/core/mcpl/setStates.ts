import type { FeatureSet, FeatureSetState, McplSettings } from '../model/mcpl.ts';
import { coveredBy, isWildcard } from '../model/featureSetPattern.ts';
import { isChosen } from './featureSets.ts';
import type { HookReach } from '../wire/mcpl/advert.ts';
import type { FormGrants } from './formGrants.ts';

/** Names of sets, each in one of the lists (MCPL §6.7). */
export type Partition = Readonly<Record<'enabled' | 'disabled', string[]>>;

export interface SetStatesOptions {
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
