import { ignoreFailure } from '../base/async.ts';
import type { CancellationToken } from '../base/cancellation.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { cancelled, HostError, messageOf } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { asyncLazy } from '../base/lazy.ts';
import type { Redact } from '../base/secrets.ts';
import type { InferenceOpening, ModelRefusal, OpenInference, TurnRequest, TurnResult } from '../hostTypes.ts';
import type { McplConnection } from '../mcpl/connection.ts';
import type { McplEngine } from './engine.ts';
import type { AuditRecord } from '../model/audit.ts';
import type { InboundEvent } from '../model/inboundEvent.ts';
import type { AlsoEvents, EventsQuestion } from '../model/mcpl.ts';
import type { HostLimits, ServerAspect, ServerDefinition, ServerState } from '../model/server.ts';
import type { Ports } from '../ports.ts';
import { StoredApprovals } from '../approvals/approvals.ts';
import { StoredAudit } from '../audit/auditLog.ts';
import { CallAudit } from '../calls/callAudit.ts';
import { StoredInbox } from '../events/eventInbox.ts';
import { StoredModelUses, type ModelServer } from '../turns/modelUses.ts';
import { ScopeHost, type ScopeUnit } from '../scopes/scopeHost.ts';
import { StateHost, type StatefulServer } from '../states/stateHost.ts';

/** The parts of a server that turns and events need. */
interface McplServer extends ScopeUnit, StatefulServer, ModelServer {
  readonly definition: ServerDefinition | undefined;
  readonly entry: { readonly isGuard?: boolean | undefined };
  readonly state: ServerState;
  readonly mcpl: { readonly member: McplConnection | undefined };
}

interface McplHostOptions {
  readonly ports: Pick<Ports, 'clock' | 'ids' | 'logs' | 'storage' | 'models' | 'variables' | 'fileNames'>;
  readonly limits: () => HostLimits;
  /** Removes secrets from records and model input. */
  readonly redact: Redact;
  /** In settings order. */
  readonly units: () => readonly McplServer[];
  readonly unit: (id: string) => McplServer | undefined;
}

/**
 * The parts of MCPL that servers share: events, turns, the audit. The protocol code is loaded with the first server.
 */
export class McplHost implements Disposable {
  readonly events: StoredInbox;
  readonly audit: StoredAudit;
  readonly calls: CallAudit;
  readonly approvals: StoredApprovals;
  readonly scopes: ScopeHost;
  readonly states: StateHost;
  readonly modelUses: StoredModelUses;
  readonly #options: McplHostOptions;
  readonly #store = new DisposableStore();
  readonly #modelRefused: Emitter<ModelRefusal>;
  readonly #eventsAsked = this.#store.add(new Emitter<EventsQuestion>());
  readonly alsoEvents: AlsoEvents = {
    onDidAsk: this.#eventsAsked.event,
    choose: (server, featureSet, allowed) => {
      const unit = this.#options.units().find(({ id }) => id === server);
      return unit?.mcpl.member?.chooseEvents(featureSet, allowed ? 'allowed' : 'refused') === true;
    },
  };
  readonly #engine = asyncLazy(
    () => import('./engine.ts'),
    ({ McplEngine }) => this.#open(McplEngine),
  );

  constructor(options: McplHostOptions) {
    this.#options = options;
    const { ports, limits, units } = options;
    const { clock, ids, storage, logs } = ports;
    const log = logs.host;
    this.#modelRefused = this.#store.add(
      new Emitter<ModelRefusal>((error: unknown) => log.log('error', messageOf(error))),
    );
    this.audit = this.#store.add(new StoredAudit({ clock, audit: storage.audit, redact: options.redact, limits, log }));
    this.events = this.#store.add(
      new StoredInbox({
        clock,
        events: storage.events,
        limits,
        log,
        audit: this.audit,
        ask: (event, token) => this.#ask(event, token),
      }),
    );
    this.calls = this.#store.add(new CallAudit({ clock, ids, logs, audit: this.audit, find: options.unit }));
    this.approvals = this.#store.add(
      new StoredApprovals({
        clock,
        ids,
        log,
        grants: storage.grants,
        audit: this.audit,
        limits,
        record: (record) => this.audit.record(record),
      }),
    );
    this.scopes = new ScopeHost({ ports, audit: this.audit, approvals: this.approvals, units });
    this.modelUses = this.#store.add(
      new StoredModelUses({
        clock,
        audit: this.audit,
        store: storage.audit,
        units,
        budgets: async () => (await this.engine()).budgets,
      }),
    );
    this.states = this.#store.add(new StateHost({ ports, audit: this.audit, limits, units }));
  }

  get onDidRefuseModel(): Event<ModelRefusal> {
    return this.#modelRefused.event;
  }

  engine(): Promise<McplEngine> {
    return this.#engine.get();
  }

  async run(request: TurnRequest): Promise<TurnResult> {
    const engine = await this.engine();
    // Right before the turn lists the servers that must check its answer.
    this.#checkGuards();
    return engine.run(request);
  }

  async open(opening: InferenceOpening): Promise<OpenInference> {
    const engine = await this.engine();
    this.#checkGuards();
    return engine.open(opening);
  }

  /** Ends the approvals and turns that a change of a server makes void. */
  changed(unit: McplServer, what: ServerAspect): void {
    const { id, state } = unit;
    if (state.kind !== 'running') this.approvals.withdraw(id);
    else if (APPROVAL_ASPECTS.includes(what)) {
      ignoreFailure(this.approvals.endOfSetsOff(unit.snapshot));
      ignoreFailure(this.scopes.endDenied(unit));
    }
    if (what === 'state' && state.kind === 'stopping') this.events.stopTurns(id);
  }

  /** Stores all records. Call this before closing the store. */
  async close(): Promise<void> {
    await this.events.close();
    await this.states.close();
    this.calls.flush();
    await this.audit.flush();
    this.dispose();
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Records a refusal. The number of records is limited, so that a peer that keeps asking does not fill the audit. */
  recordRefusal(record: AuditRecord): void {
    ignoreFailure(this.engine().then((engine) => engine.record(record)));
  }

  #open(Engine: typeof McplEngine): McplEngine {
    const { clock, ids, storage, models, logs } = this.#options.ports;
    const engine = new Engine({
      clock,
      ids,
      storage,
      models,
      inbox: this.events,
      recorder: this.audit,
      redact: this.#options.redact,
      log: logs.host,
      scopes: this.scopes,
      states: this.states,
      limits: this.#options.limits,
      connections: () => this.#options.units().flatMap(({ mcpl }) => mcpl.member ?? []),
      onRefused: (refusal) => this.#modelRefused.fire(refusal),
      askEvents: (question) => {
        if (!this.#eventsAsked.hasListeners) return false;
        this.#eventsAsked.fire(question);
        return true;
      },
      onBudgetRead: () => this.modelUses.changed(),
    });
    this.modelUses.counting(engine.budgets);
    return engine;
  }

  async #ask(event: InboundEvent, token: CancellationToken): Promise<TurnResult> {
    const unit = this.#options.units().find(({ id }) => id === event.server);
    if (event.inferenceId !== undefined && isStopped(unit?.state)) throw cancelled('The turn');
    const engine = await this.engine();
    this.#checkGuards();
    return engine.ask(event, token);
  }

  /** MCPL §13.3: a server that must check every answer has to be running, or no answer is shown. */
  #checkGuards(): void {
    const missing = this.#options.units().find(isMissingGuard);
    if (missing !== undefined) throw answerWithheld(missing.id);
  }
}

/** Changes that may end an approval. A consent change is announced with the tools. */
const APPROVAL_ASPECTS: readonly ServerAspect[] = ['settings', 'mcpl', 'tools'];

/** Deliberately excludes crashes: turns promised to a crashed server continue. */
function isStopped(state: ServerState | undefined): boolean {
  return state?.kind === 'stopping' || state?.kind === 'stopped';
}

function isMissingGuard({ definition, entry, state, mcpl }: McplServer): boolean {
  // Applies even if the workspace changes or breaks its entry.
  if (entry.isGuard === true) return !seesAnswers({ definition, state, mcpl });
  if (definition?.enabled !== true || definition.mcpl.hooks.afterInference !== 'failClosed') return false;
  // A server of the workspace without consent must not withhold every answer.
  if (state.kind === 'stopped' && definition.definedBy !== 'user') return state.reason === 'byUser';
  if (state.kind === 'asking') return definition.definedBy === 'user';
  return !seesAnswers({ definition, state, mcpl });
}

function seesAnswers({ definition, state, mcpl }: Pick<McplServer, 'definition' | 'state' | 'mcpl'>): boolean {
  return state.kind === 'running' && definition?.protocol.mcpl !== 'off' && mcpl.member?.isBlindGuard !== true;
}

function answerWithheld(server: string): HostError {
  return new HostError('ANSWER_WITHHELD', `The server "${server}" must see every answer, and cannot.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Start it and switch its feature set on, disable it, or set its "hooks.afterInference" to "failOpen".',
  });
}
