import type { CancellationToken } from '../base/cancellation.ts';
import { cancelled } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import type { InferenceOpening, ModelRefusal, OpenInference, TurnRequest, TurnResult } from '../hostTypes.ts';
import type { AuditRecord } from '../model/audit.ts';
import type { InboundEvent } from '../model/inboundEvent.ts';
import type { EventsQuestion } from '../model/mcpl.ts';
import type { HostLimits } from '../model/server.ts';
import type { Models } from '../modelPorts.ts';
import type { Clock, Ids, Storage } from '../ports.ts';
import { BoundedRecorder, type Recorder } from '../audit/auditLog.ts';
import { Budgets } from '../turns/budgets.ts';
import { McplConnection } from '../mcpl/connection.ts';
import type { McplConnectionOptions, McplHandler } from '../mcpl/connectionOptions.ts';
import { ConversationModels } from '../turns/conversationModels.ts';
import { eventMessages } from '../events/eventPrompt.ts';
import { FormGrants } from '../mcpl/formGrants.ts';
import { InferenceRequests } from '../turns/inferenceRequests.ts';
import { OpenInferences } from '../turns/openInference.ts';
import { type PushInbox, PushEvents } from '../events/pushEvents.ts';
import { elevate, type ScopeAuthority } from '../scopes/scopeRequests.ts';
import { type StateAuthority, takeState } from '../mcpl/stateUpdates.ts';
import { TurnHooks } from '../turns/turnHooks.ts';
import { TurnRunner } from '../turns/turnRunner.ts';

export interface EngineOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly storage: Pick<Storage, 'grants' | 'audit'>;
  readonly models: Models;
  readonly inbox: PushInbox;
  readonly recorder: Recorder;
  readonly log: Logger;
  /** Removes secrets from model input. */
  readonly redact: Redact;
  readonly scopes: ScopeAuthority;
  readonly states: StateAuthority;
  readonly limits: () => HostLimits;
  /** In settings order. */
  connections(): readonly McplConnection[];
  onRefused(refusal: ModelRefusal): void;
  /** Returns false if no user can be asked. */
  askEvents(question: EventsQuestion): boolean;
  /** The earlier model use of a server has been read. */
  onBudgetRead(server: string): void;
}

export type UnitConnection = Omit<McplConnectionOptions, 'clock' | 'grants' | 'recorder' | 'handlers' | 'askEvents'>;

/** All parts that speak MCPL. Loaded with the first server. */
export class McplEngine {
  readonly #options: EngineOptions;
  readonly #recorder: Recorder;
  readonly #grants: FormGrants;
  readonly #turns: TurnRunner;
  readonly #inferences: OpenInferences;
  readonly budgets: Budgets;
  readonly #handlers: Readonly<Record<string, McplHandler>>;

  constructor(options: EngineOptions) {
    const { clock, ids, storage, models, log } = options;
    const recorder = new BoundedRecorder(clock, options.recorder);
    this.#recorder = recorder;
    const { limits } = options;
    this.#options = options;
    this.#grants = new FormGrants({ clock, ids, grants: storage.grants, log });
    this.budgets = new Budgets({
      clock,
      audit: storage.audit,
      recorder,
      onRead: (server) => options.onBudgetRead(server),
    });
    const conversations = new ConversationModels();
    const hooks = new TurnHooks({ clock, recorder, log, conversations, members: () => this.#members() });
    this.#inferences = new OpenInferences({ ids, hooks });
    this.#turns = new TurnRunner({
      hooks,
      clock,
      ids,
      models,
      budgets: this.budgets,
      limits,
      recorder,
      redact: options.redact,
      log,
    });
    const push = new PushEvents({
      clock,
      ids,
      inbox: options.inbox,
      recorder,
      limits,
      inferAllowed: (member) => this.budgets.allows(member),
      newInferenceId: () => `inf_${ids.uuid()}`,
    });
    const inference = new InferenceRequests({
      clock,
      ids,
      models,
      budgets: this.budgets,
      conversations,
      limits,
      recorder,
      onRefused: (refusal) => options.onRefused(refusal),
    });
    this.#handlers = {
      'push/event': (member, params, context) => push.handle(member, params, context),
      'inference/request': (member, params, context) => inference.handle(member, params, context),
      'model/info': (member, params, context) => inference.modelInfo(member, params, context),
      'scope/elevate': (member, params, context) => elevate(member, params, context, options.scopes),
      'state/update': (member, params, context) => takeState(member, params, context, options.states),
    };
  }

  record(record: AuditRecord): void {
    this.#recorder.record(record);
  }

  /** Loads the stored grants of sets before a server may declare any. */
  async connection(options: UnitConnection): Promise<McplConnection> {
    await this.#grants.load();
    const { clock } = this.#options;
    const recorder = this.#recorder;
    return new McplConnection({
      ...options,
      clock,
      recorder,
      grants: this.#grants,
      handlers: this.#handlers,
      askEvents: (question) => this.#options.askEvents(question),
    });
  }

  run(request: TurnRequest): Promise<TurnResult> {
    return this.#turns.run(request);
  }

  open(opening: InferenceOpening): Promise<OpenInference> {
    return this.#inferences.open(opening);
  }

  /** Runs a turn on an event, charged to the server that sent it. */
  async ask(event: InboundEvent, token: CancellationToken): Promise<TurnResult> {
    const connection = this.#options.connections().find(({ server }) => server === event.server);
    // A server pays for a promised turn, even if it has ended since. A user's question about an event of a removed
    // server counts for no budget.
    const isPromised = event.inferenceId !== undefined;
    if (isPromised && connection?.infersFrom(event.source.featureSet) !== true) throw cancelled('The turn');
    const payer = isPromised || connection?.isMember === true ? connection : undefined;
    const request: TurnRequest = {
      conversationId: `event_${event.id}`,
      turnIndex: 0,
      userMessage: null,
      messages: eventMessages(event),
      inferenceId: event.inferenceId,
      justification: `The server "${event.server}" sent an event.`,
      token,
    };
    return this.#turns.run(request, { payer });
  }

  #members(): readonly McplConnection[] {
    return this.#options.connections().filter(({ isMember }) => isMember);
  }
}
