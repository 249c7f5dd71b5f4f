import type { CancellationToken } from '../base/cancellation.ts';
import { Deferred } from '../base/async.ts';
import type { Clock } from '../base/clock.ts';
import { DisposableStore } from '../base/disposable.ts';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/log.ts';
import type { EventsChoice } from '../model/grant.ts';
import { type AlsoEventsState, type Capability, type FeatureSet, type McplTraits, rightsOf } from '../model/mcpl.ts';
import { declaresUse } from './featureSets.ts';
import { UndeclaredUse } from '../wire/mcpl/mcplErrors.ts';
import type { FormGrants } from './formGrants.ts';

interface UndeclaredUsesOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly grants: FormGrants;
  readonly onDidChangeSets: Event<void>;
  isOn(featureSet: string): boolean;
  /** Asks the user whether the set may send events. Returns false if no user can be asked. */
  ask(featureSet: string): boolean;
  /** A question was asked or answered. */
  onChange(): void;
}

interface Question {
  readonly set: string;
  readonly settled: Deferred<boolean>;
}

/** How long an event waits for the user's answer. */
const PATIENCE_MS = 60_000;

/**
 * Refuses uses that a set does not declare. Events can be an exception, because real servers forget to declare them:
 * the user may allow them, once for each form of a set. The first event waits for the answer; others are refused
 * meanwhile.
 */
export class UndeclaredUses {
  readonly #options: UndeclaredUsesOptions;
  /** By set: the form about which the user was asked in this run. A restarted server declares it again. */
  readonly #asked = new Map<string, string>();
  #open: Question | undefined;

  readonly #seen = new Map<string, Set<Capability>>();

  constructor(options: UndeclaredUsesOptions) {
    this.#options = options;
  }

  /** Returns `undefined` if the set may use the capability. */
  problemOf(set: FeatureSet, use: Capability, traits: McplTraits): UndeclaredUse | undefined {
    if (declaresUse(set, use)) return undefined;
    this.#note(set.name, use);
    const isAllowed = use === 'pushEvents' && this.stateOf(set, traits) === 'allowed';
    return isAllowed ? undefined : new UndeclaredUse(set.name, use, traits);
  }

  seen(set: string): readonly Capability[] {
    return [...(this.#seen.get(set) ?? [])];
  }

  forget(set: string): void {
    this.#seen.delete(set);
  }

  stateOf(set: FeatureSet, { undeclaredUse }: McplTraits): AlsoEventsState | undefined {
    if (undeclaredUse === 'capabilityDenied' || declaresUse(set, 'pushEvents')) return undefined;
    if (this.#open?.set === set.name) return 'asking';
    const wasSeen = this.#seen.get(set.name)?.has('pushEvents') === true;
    return this.#options.grants.eventsOf(this.#options.server, set) ?? (wasSeen ? 'open' : undefined);
  }

  /** Resolves with the user's answer. Returns `undefined` if this event asks no question. */
  hold(set: FeatureSet, token: CancellationToken): Promise<boolean> | undefined {
    const { grants, server } = this.#options;
    if (this.#open !== undefined || token.isCancellationRequested) return undefined;
    if (this.#asked.get(set.name) === rightsOf(set) || grants.eventsOf(server, set) !== undefined) return undefined;
    const question: Question = { set: set.name, settled: new Deferred<boolean>() };
    this.#open = question;
    if (!this.#options.ask(set.name)) {
      this.#open = undefined;
      return undefined;
    }
    this.#asked.set(set.name, rightsOf(set));
    this.#options.onChange();
    return this.#wait(question, token);
  }

  choose(set: FeatureSet, choice: EventsChoice): void {
    this.#options.grants.chooseEvents(this.#options.server, set, choice);
    if (this.#open?.set === set.name) this.#open.settled.resolve(choice === 'allowed');
  }

  async #wait(question: Question, token: CancellationToken): Promise<boolean> {
    const { clock, onDidChangeSets } = this.#options;
    const store = new DisposableStore();
    const giveUp = (): void => question.settled.resolve(false);
    store.add(clock.delay(PATIENCE_MS, giveUp));
    store.add(token.onCancellationRequested(giveUp));
    store.add(
      onDidChangeSets(() => {
        if (!this.#options.isOn(question.set)) giveUp();
      }),
    );
    try {
      return await question.settled.promise;
    } finally {
      store.dispose();
      this.#open = undefined;
      this.#options.onChange();
    }
  }

  #note(set: string, use: Capability): void {
    const seen = this.#seen.get(set) ?? new Set();
    if (seen.has(use)) return;
    this.#seen.set(set, seen.add(use));
    this.#options.log.log('warn', `The feature set "${set}" uses ${use}, which it did not declare.`);
    this.#options.onChange();
  }
}
