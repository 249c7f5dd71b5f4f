import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { covers } from '../model/featureSetPattern.ts';
import type { DeclaredSet, DeclaredSetsRecord, EventsChoice, FeatureSetGrant, WildcardGrant } from '../model/grant.ts';
import { type FeatureSet, rightsOf } from '../model/mcpl.ts';
import type { Clock, GrantStore, Ids } from '../ports.ts';

/** Maximum per server. Further sets are on only if the user chooses them by name. */
const MAX_FORMS = 2_000;

interface Accepted {
  readonly form: string;
  readonly events: EventsChoice | undefined;
}

interface FormGrantsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly grants: GrantStore;
  readonly log: Logger;
}

/**
 * Stores the form in which each feature set was switched on. A server that later declares a set of the same name with
 * more rights does not get them through the earlier choice (docs/decisions/choices-and-forms.md).
 */
export class FormGrants {
  readonly #options: FormGrantsOptions;
  /** By server and set. */
  readonly #forms = new Map<string, Map<string, Accepted>>();
  /** Needed for each message of a set, and constant for a declaration. */
  readonly #computed = new WeakMap<FeatureSet, string>();
  /** By server: the sets it declared last, in this or an earlier run. */
  readonly #declared = new Map<string, readonly DeclaredSet[]>();
  /** By server: wildcards that have switched on sets. */
  readonly #wildcards = new Map<string, Set<string>>();
  #loading: Promise<void> | undefined;
  #isUnreadable = false;

  constructor(options: FormGrantsOptions) {
    this.#options = options;
  }

  /** Reads the stored grants. If they cannot be read, every set stays off. */
  load(): Promise<void> {
    const { grants: store } = this.#options;
    this.#loading ??= Promise.all([store.list('featureSet'), store.list('declaredSets'), store.list('wildcard')]).then(
      ([grants, declared, wildcards]) => {
        this.#isUnreadable = false;
        for (const grant of grants) if (grant.kind === 'featureSet') this.#put(grant);
        for (const grant of wildcards) if (grant.kind === 'wildcard') this.#wildcardsOf(grant.server).add(grant.target);
        for (const grant of declared) if (grant.kind === 'declaredSets') this.#declared.set(grant.server, grant.sets);
      },
      (error: unknown) => {
        this.#isUnreadable = true;
        this.#loading = undefined;
        this.#options.log.log('error', `Which feature sets were switched on could not be read: ${messageOf(error)}`);
      },
    );
    return this.#loading;
  }

  /** Whether the set was switched on in a different form. Also true for new sets of a server with too many of them. */
  isChanged(server: string, set: FeatureSet): boolean {
    if (this.#isUnreadable) return true;
    const known = this.#forms.get(server);
    const form = known?.get(set.name)?.form;
    // A wildcard switches on every new name, and a server can declare any number of them.
    if (form === undefined) return known !== undefined && known.size >= MAX_FORMS;
    return form !== this.#formOf(set);
  }

  /**
   * Whether only wildcards from before the declaration switch the set on: a user who wrote `memory.*` has not seen it.
   */
  isNew(server: string, name: string, enabled: readonly string[]): boolean {
    const covering = enabled.filter((pattern) => covers(pattern, name));
    if (this.isKnown(server, name) || covering.includes(name)) return false;
    const used = this.#wildcards.get(server);
    return used !== undefined && covering.every((pattern) => used.has(pattern));
  }

  /** Records these wildcards as used. Returns the new ones. */
  use(server: string, wildcards: readonly string[]): readonly string[] {
    const used = this.#wildcardsOf(server);
    const fresh = wildcards.filter((pattern) => !used.has(pattern));
    const { ids, clock } = this.#options;
    for (const target of fresh) {
      used.add(target);
      const id = ids.sha256(`wildcard ${JSON.stringify([server, target])}`).slice(0, 32);
      this.#save({ id, direction: 'toServer', kind: 'wildcard', server, target, form: '', at: clock.now() });
    }
    return fresh;
  }

  /** Whether it was ever switched on. */
  isKnown(server: string, name: string): boolean {
    return this.#forms.get(server)?.has(name) === true;
  }

  /** Records that these sets are on in their current form. */
  accept(server: string, sets: readonly FeatureSet[]): void {
    for (const set of sets)
      if (this.#forms.get(server)?.get(set.name)?.form !== this.#formOf(set)) this.#keep(server, set, undefined);
  }

  /** The user's choice about events that this form of the set does not declare. */
  eventsOf(server: string, set: FeatureSet): EventsChoice | undefined {
    const known = this.#forms.get(server)?.get(set.name);
    return known?.events !== undefined && known.form === this.#formOf(set) ? known.events : undefined;
  }

  chooseEvents(server: string, set: FeatureSet, events: EventsChoice): void {
    if (this.eventsOf(server, set) !== events) this.#keep(server, set, events);
  }

  /** The sets that a server declared last, for the next handshake. Their uses are not stored. */
  remembered(server: string): readonly FeatureSet[] {
    return (this.#declared.get(server) ?? []).map(({ name, form, scoped }) => {
      const problem = form === '' ? 'It could not be switched on.' : undefined;
      const set = { name, description: '', uses: [], scoped, rollback: false, hostState: false, problem };
      this.#computed.set(set, form);
      return set;
    });
  }

  /** Stores the server's current declarations for the handshake of the next run. */
  remember(server: string, sets: readonly FeatureSet[]): void {
    const { ids, clock, grants, log } = this.#options;
    const declared = sets.map((set) => {
      return { name: set.name, form: set.problem === undefined ? this.#formOf(set) : '', scoped: set.scoped };
    });
    if (JSON.stringify(declared) === JSON.stringify(this.#declared.get(server) ?? [])) return;
    this.#declared.set(server, declared);
    const kept: DeclaredSetsRecord = {
      id: ids.sha256(`declaredSets ${JSON.stringify(server)}`).slice(0, 32),
      direction: 'toServer',
      kind: 'declaredSets',
      server,
      sets: declared,
      at: clock.now(),
    };
    grants.save(kept).catch((error: unknown) => {
      log.log('warn', `The feature sets of "${server}" could not be kept: ${messageOf(error)}`);
    });
  }

  #keep(server: string, set: FeatureSet, events: EventsChoice | undefined): void {
    const { ids, clock } = this.#options;
    const grant: FeatureSetGrant = {
      id: ids.sha256(`featureSet ${JSON.stringify([server, set.name])}`).slice(0, 32),
      direction: 'toServer',
      kind: 'featureSet',
      server,
      target: set.name,
      form: this.#formOf(set),
      ...(events !== undefined && { events }),
      at: clock.now(),
    };
    this.#put(grant);
    this.#save(grant);
  }

  #put({ server, target, form, events }: FeatureSetGrant): void {
    const ofServer = this.#forms.get(server) ?? new Map<string, Accepted>();
    this.#forms.set(server, ofServer.set(target, { form, events }));
  }

  #wildcardsOf(server: string): Set<string> {
    const known = this.#wildcards.get(server) ?? new Set<string>();
    this.#wildcards.set(server, known);
    return known;
  }

  #save(grant: FeatureSetGrant | WildcardGrant): void {
    this.#options.grants.save(grant).catch((error: unknown) => {
      const { log } = this.#options;
      log.log('warn', `That "${grant.target}" of "${grant.server}" is on could not be kept: ${messageOf(error)}`);
    });
  }

  /** Covers the permissions of the set, not its description. */
  #formOf(set: FeatureSet): string {
    const known = this.#computed.get(set);
    if (known !== undefined) return known;
    const form = this.#options.ids.sha256(rightsOf(set)).slice(0, 32);
    this.#computed.set(set, form);
    return form;
  }
}
