import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import { messageOf, methodNotFound, type WireError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import { type AuditOutcome, auditRecord } from '../model/audit.ts';
import type { Tool } from '../model/catalog.ts';
import type { EventsChoice } from '../model/grant.ts';
import type {
  FeatureSet,
  FeatureSetState,
  McplDialect,
  McplSettings,
  McplSnapshot,
  Capability,
} from '../model/mcpl.ts';
import { declaresUse, isChosen } from './featureSets.ts';
import { pushPolicyOf } from '../model/featureSetPattern.ts';
import { featureSetOfTool } from './toolFeatureSets.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeAdvert, encodeHostAdvert, type McplAdvert, type SentScopes } from '../wire/mcpl/advert.ts';
import { invalidParams, notEnabled, type UndeclaredUse, unknownFeatureSet } from '../wire/mcpl/mcplErrors.ts';
import { decodeChange } from '../wire/mcpl/featureSetMessages.ts';
import type { McplConnectionOptions } from './connectionOptions.ts';
import {
  advertWithoutSecrets,
  setsWithoutSecrets,
  OPERATIONS,
  type Partition,
  SetStates,
  UNDECLARED,
  undeclaredSet,
  sentScopes,
  WithdrawnSets,
} from './sets.ts';
import { EarlyRequests } from './earlyRequests.ts';
import type { Participant } from './participant.ts';
import { Throttle } from '../base/throttle.ts';
import { SetUpdates } from './setUpdates.ts';
import { leaveStatesUnread } from './stateUpdates.ts';
import { UndeclaredUses } from './undeclaredUses.ts';

/** More sets than any server has. Every change is answered with the full list. */
const MAX_SETS = 256;
const MAX_EARLY = 16;
/** Minimum interval between answers to changed sets. */
const CHANGES_MS = 100;

/**
 * MCPL for one server, across its connections. It announces the host's capabilities, knows the declared sets, sends
 * which of them are on, and admits or refuses each message of a set. Servers send messages of any set, so the host
 * decides about each message and does not rely on its updates.
 */
export class McplConnection implements SessionFeature, Participant {
  /** Stateless connections do not carry requests from the server. */
  readonly era = 'legacy';
  readonly server: string;
  readonly log: Logger;
  readonly redact: Redact;
  readonly redactForeign: Redact;
  readonly requests: NonNullable<SessionFeature['requests']>;
  readonly notifications: NonNullable<SessionFeature['notifications']>;
  readonly #options: McplConnectionOptions;
  readonly #undeclared: UndeclaredUses;
  readonly #early: EarlyRequests;
  readonly #states: SetStates;
  #session: Session | undefined;
  #advert: McplAdvert | undefined;
  #sets = new Map<string, FeatureSet>();
  readonly #withdrawn = new WithdrawnSets();
  readonly #updates: SetUpdates;
  #hooks = 0;
  /** Changes that the server announced before the handshake was processed. */
  readonly #earlyChanges: JsonObject[] = [];
  readonly #changes: Throttle;
  readonly #setsChanged = new Emitter<void>();
  readonly onDidChangeSets = this.#setsChanged.event;

  constructor(options: McplConnectionOptions) {
    this.#options = options;
    this.server = options.server;
    this.log = options.log;
    this.redact = options.redact;
    this.redactForeign = options.redactForeign;
    this.#early = new EarlyRequests(options.clock);
    const { server, grants } = options;
    this.#states = new SetStates({ server, grants, settings: () => options.settings() });
    this.#declare(grants.remembered(server));
    const changed = (): void => {
      // Sent even if nothing changed here: the server may have forgotten.
      this.#updates.forget();
      this.update();
    };
    this.#changes = new Throttle(options.clock, CHANGES_MS, changed, { leading: true });
    this.#undeclared = new UndeclaredUses({
      ...options,
      onDidChangeSets: this.onDidChangeSets,
      isOn: (featureSet) => this.isOn(featureSet),
      ask: (featureSet) => options.askEvents({ server, featureSet }),
      onChange: () => options.onChange(),
    });
    this.#updates = new SetUpdates({
      log: options.log,
      onSent: (on, off) => this.#record('featureSets/update', `${on} on, ${off} off`),
      onGranted: (isFirst) => options.onGranted(isFirst),
    });
    this.requests = Object.fromEntries(
      Object.entries(options.handlers).map(([method, handler]) => [
        method,
        (params: JsonObject, context: InboundContext): Promise<Json> | Json => {
          const answer = (): Promise<Json> | Json => {
            // Methods of MCPL do not exist for a server that did not announce it (MCPL §3.3).
            if (this.#advert === undefined) throw methodNotFound(method);
            return handler(this, params, context);
          };
          return this.#session === undefined ? this.#afterStart(method, answer, context) : answer();
        },
      ]),
    );
    this.notifications = {
      'featureSets/changed': (params) => this.#changed(params),
      'push/event': (params) => this.#pushWithoutId(params),
    };
  }

  /** MCPL §5.2. The sets are those that the server declared last, in this run or an earlier one. */
  get capabilities(): JsonObject {
    if (this.#options.protocol() === 'off') return {};
    return { experimental: { mcpl: encodeHostAdvert(this.#partition(), this.#scopes()) } };
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error(`The server "${this.server}" has no session.`);
    return this.#session;
  }

  get dialect(): McplDialect {
    if (this.#advert === undefined) throw new Error(`The server "${this.server}" does not speak MCPL.`);
    return this.#advert.dialect;
  }

  /** Whether it takes part in turns: it is connected, and announced MCPL. */
  get isMember(): boolean {
    return this.#isLive && this.#advert !== undefined;
  }

  /** Whether it is connected and not stopping. */
  get #isLive(): boolean {
    return this.#session?.stopping.isCancellationRequested === false;
  }

  get settings(): McplSettings {
    return this.#states.settings;
  }

  get isInHook(): boolean {
    return this.#hooks > 0;
  }

  /**
   * Whether a check of answers may be missing: the connection just ended, or a set with that hook is new or changed and
   * waits for the user's choice.
   */
  get isBlindGuard(): boolean {
    if (!this.#isLive) return true;
    const guards = [...this.#sets.values()].filter(({ uses }) => uses.includes('contextHooks.afterInference'));
    return guards.some((set) => ['changed', 'new'].includes(this.#stateOf(set)));
  }

  /** Whether settings let a model answer the events of the set. Also known while the server is not connected. */
  infersFrom(featureSet: string): boolean {
    const { push, featureSets } = this.settings;
    return isChosen(featureSets, featureSet) && pushPolicyOf(push, featureSet) === 'infer';
  }

  started(session: Session): Disposable {
    const protocol = this.#options.protocol();
    const pin = protocol === 'auto' || protocol === 'off' ? undefined : protocol;
    const advert = protocol === 'off' ? undefined : decodeAdvert(session.handshake.capabilities, pin);
    this.#advert = advert && advertWithoutSecrets(advert, (text) => this.redact(text));
    // A server that only reads answers announces no hook before inference.
    this.#states.begin(this.#advert?.dialect.before === true ? this.#advert.before : undefined);
    this.#session = session;
    this.#updates.begin(session);
    this.#hooks = 0;
    this.#declare(this.#advert?.sets ?? []);
    for (const remark of this.#advert?.dialect.remarks ?? []) this.log.log('warn', remark);
    for (const change of this.#earlyChanges.splice(0)) this.#apply(change);
    this.update();
    this.#early.release();
    const store = new DisposableStore();
    store.add(
      session.onRenewed(() => {
        this.#updates.forget();
        this.update();
      }),
    );
    store.add(
      toDisposable(() => {
        if (this.#session !== session) return;
        this.#session = undefined;
        this.#setsChanged.fire();
        this.#updates.end();
        this.#changes.cancel();
      }),
    );
    return store;
  }

  /** Call this after a change of settings or declarations. Notifies the server and all listeners. */
  update(): void {
    if (this.#advert === undefined) return;
    this.#states.forget();
    this.#setsChanged.fire();
    const { grants } = this.#options;
    this.#states.settle([...this.#sets.values()]);
    grants.remember(this.server, this.#named);
    this.#tell();
    leaveStatesUnread(this.#session, this.#advert.dialect, [...this.#sets.values()]);
    this.#options.onChange();
  }

  /** The user switched these sets on in a view of the host, in their current form. */
  accept(names: readonly string[]): void {
    this.#options.grants.accept(
      this.server,
      names.flatMap((name) => this.#sets.get(name) ?? []),
    );
    this.update();
  }

  requireEnabled(
    featureSet: Json | undefined,
    use: Capability | undefined,
    operation: string = OPERATIONS[use ?? 'tools'],
  ): FeatureSet {
    if (typeof featureSet !== 'string')
      throw this.#refused(operation, undefined, invalidParams('featureSet must be a text.', 'featureSet'));
    const set = featureSet === UNDECLARED ? undefined : this.#sets.get(featureSet);
    if (set === undefined) throw this.#refused(operation, featureSet, unknownFeatureSet(featureSet));
    // Messages of a closed connection have no effect, even if they were being processed.
    if (this.#stateOf(set) !== 'enabled' || !this.#isLive)
      throw this.#refused(operation, featureSet, notEnabled(featureSet, set.problem === undefined));
    if (use === undefined || set.uses.includes(use)) return set;
    const problem = this.#undeclared.problemOf(set, use, this.dialect.traits);
    if (problem === undefined) return set;
    // Not refused yet, because the user may be asked about an event.
    throw use === 'pushEvents' ? problem : this.#refused(operation, featureSet, problem);
  }

  async holdEvent(problem: UndeclaredUse, token: CancellationToken): Promise<void> {
    const set = this.#sets.get(problem.featureSet);
    const isPossible = set !== undefined && this.dialect.traits.undeclaredUse === 'notEnabled';
    if (isPossible && (await this.#undeclared.hold(set, token)) === true) return;
    throw this.#refused('push/event', problem.featureSet, problem);
  }

  /** The user allowed or refused the events of a set that does not declare them. Returns false if the set is not on. */
  chooseEvents(featureSet: string, choice: EventsChoice): boolean {
    const set = this.#sets.get(featureSet);
    if (set === undefined || !this.isOn(featureSet)) return false;
    this.#undeclared.choose(set, choice);
    this.#options.onChange();
    return true;
  }

  isOn(featureSet: string): boolean {
    const set = this.#sets.get(featureSet);
    return set !== undefined && this.#isLive && this.#stateOf(set) === 'enabled';
  }

  setsFor(use: Capability): readonly FeatureSet[] {
    if (!this.#isLive) return [];
    return [...this.#sets.values()].filter((set) => declaresUse(set, use) && this.#stateOf(set) === 'enabled');
  }

  enterHook(): Disposable {
    const session = this.#session;
    this.#hooks++;
    return toDisposable(() => {
      // A hook of an earlier connection does not count for this one.
      if (this.#session === session && this.#hooks > 0) this.#hooks--;
    });
  }

  view(tools: readonly Tool[]): McplSnapshot | undefined {
    if (this.#advert === undefined) return undefined;
    const sets = [...this.#sets.values()];
    const { push, toolFeatureSets, featureSets } = this.settings;
    const known = [...sets, ...this.#withdrawn.all];
    const byTool = tools.map((tool) => [tool.name, featureSetOfTool(tool, known, toolFeatureSets)] as const);
    const isUndecided =
      sets.length > 0 &&
      featureSets.enabled.length + featureSets.disabled.length === 0 &&
      !sets.some((set) => this.#options.grants.isKnown(this.server, set.name));
    return {
      dialect: this.#advert.dialect,
      isUndecided,
      withdrawn: this.#withdrawn.all,
      sets: sets.map((set) => ({
        set,
        state: this.#stateOf(set),
        push: pushPolicyOf(push, set.name),
        undeclared: this.#undeclared.seen(set.name),
        alsoEvents: this.#undeclared.stateOf(set, this.dialect.traits),
        tools: byTool.filter(([, name]) => name === set.name).map(([tool]) => tool),
      })),
    };
  }

  async #afterStart(method: string, answer: () => Promise<Json> | Json, { token }: InboundContext): Promise<Json> {
    if (!(await this.#early.wait(token))) throw methodNotFound(method);
    return answer();
  }

  #stateOf(set: FeatureSet): FeatureSetState {
    return this.#states.of(set);
  }

  #declare(sets: readonly FeatureSet[]): void {
    const declared = sets.length === 0 && this.#advert !== undefined ? undeclaredSet(this.#advert.dialect) : sets;
    this.#sets = new Map(declared.slice(0, MAX_SETS).map((set) => [set.name, set]));
    this.#withdrawn.clear();
  }

  /** MCPL §6.7: new sets are off until the user switches them on. */
  #changed(params: JsonObject): void {
    if (this.#session === undefined) {
      if (this.#earlyChanges.length < MAX_EARLY) this.#earlyChanges.push(params);
      return;
    }
    if (this.#advert === undefined) return;
    this.#apply(params);
    // The new state applies at once. One answer lists every set, so it can cover several changes.
    this.#changes.request();
  }

  #apply(params: JsonObject): void {
    if (this.#advert === undefined) return;
    const { added, removed } = decodeChange(params, this.dialect);
    for (const name of removed) {
      this.#withdrawn.removed(this.#sets.get(name));
      this.#sets.delete(name);
      this.#undeclared.forget(name);
    }
    const usable = setsWithoutSecrets(added, (text) => this.redact(text));
    for (const set of usable) {
      if (!this.#sets.has(set.name) && this.#sets.size >= MAX_SETS) continue;
      this.#withdrawn.replaced(this.#sets.get(set.name), set);
      this.#sets.set(set.name, set);
    }
    if (added.length > 0) this.#sets.delete(UNDECLARED);
    this.#record('featureSets/changed', `added ${added.length}, removed ${removed.length}`);
  }

  #partition(): Partition {
    return this.#states.partition(this.#named);
  }

  get #named(): readonly FeatureSet[] {
    return [...this.#sets.values()].filter(({ name }) => name !== UNDECLARED);
  }

  #scopes(): SentScopes {
    const expand = (pattern: string): string => this.#options.expand(pattern);
    return sentScopes(this.settings.scopes, [...this.#sets.values()], expand);
  }

  #tell(): void {
    if (this.#advert === undefined || !this.#isLive) return;
    const { dialect } = this;
    const sets = [...this.#sets.values()].filter((set) => this.#stateOf(set) === 'enabled');
    const partition = this.#partition();
    this.#updates.send({
      choice: dialect.traits.scopes === 'handshake+update' ? { ...partition, scopes: this.#scopes() } : partition,
      enabled: sets,
      dialect,
    });
  }

  /** A notification has no answer: admits events of sets that are on, and only logs the others. */
  #pushWithoutId(params: JsonObject): void {
    const handler = this.requests['push/event'];
    if (this.#advert === undefined || handler === undefined) return;
    this.log.log('warn', 'The server sent push/event as a notification, which cannot be answered.');
    void (async () => handler(params, { requestId: 0, token: NO_CANCELLATION }))().catch((error: unknown) => {
      this.log.log('info', `An event was not taken: ${messageOf(error)}`);
    });
  }

  #refused(operation: string, featureSet: string | undefined, error: WireError): WireError {
    const named = featureSet === undefined ? undefined : this.redact(featureSet).slice(0, 256);
    this.#record(operation, error.message, 'refused', named);
    return error;
  }

  #record(operation: string, detail: string, outcome: AuditOutcome = 'success', featureSet?: string): void {
    const at = this.#options.clock.now();
    const { recorder } = this.#options;
    recorder.record(auditRecord({ at, server: this.server, operation, featureSet, outcome, detail }));
  }
}
