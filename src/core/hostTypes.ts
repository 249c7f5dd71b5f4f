import type { CancellationToken } from './base/cancellation.ts';
import type { Event } from './base/event.ts';
import type { Json } from './base/json.ts';
import type { Disposable } from './base/disposable.ts';
import type { AuditEntry, AuditQuery, AuditRecord } from './model/audit.ts';
import type { ApprovalChoice, PendingApproval, SettledApproval } from './model/approval.ts';
import type { LogLevelName, Tool } from './model/catalog.ts';
import type { InboundEvent } from './model/inboundEvent.ts';
import type { ApprovalGrant } from './model/grant.ts';
import type { ModelFacts, ModelMessage, Usage } from './model/inference.ts';
import type {
  Checkpoint,
  CheckpointDetail,
  LineageKey,
  LineagePath,
  LineageQuery,
  LineageSummary,
  LineageWindow,
} from './model/lineage.ts';
import type { AlsoEvents, InjectionPosition, PushPolicy } from './model/mcpl.ts';
import type { ModelBudget, ModelReservation, ModelUseRecord, ModelUseTotal } from './model/modelUse.ts';
import type { LanguageModel } from './modelPorts.ts';
import type { Annotation, StateImport } from './ports.ts';
import type { ProtocolTrace } from './trace/protocolTrace.ts';
import type { Completion, CompletionRequest } from './model/completion.ts';
import type { PromptResult, ResourceContents, ResultView } from './model/content.ts';
import type { Operation, Progress, ToolCallRequest } from './model/operation.ts';
import type {
  DefinitionAnswer,
  HostLimits,
  HostSettings,
  SeenDefinition,
  ServerSnapshot,
  SettingsProblem,
} from './model/server.ts';
import type { EntryKey } from './model/settingRules.ts';

/**
 * The kind of change. Several changes of a server within one turn of the event loop arrive one by one. Snapshots are
 * always complete.
 */
export interface ServerChange {
  readonly server: string;
  readonly what: 'added' | 'removed' | 'settings' | 'state' | 'tools' | 'resources' | 'prompts' | 'mcpl';
}

export interface CallOptions {
  readonly token?: CancellationToken | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface CompleteOptions extends Pick<CallOptions, 'token'> {
  /** The input that asks, chosen by the caller. A newer request of the same input replaces the earlier one. */
  readonly asker?: string | undefined;
}

/** Contents of a resource. */
export interface ResourceReading {
  readonly contents: readonly ResourceContents[];
  /** As received. */
  readonly raw: Json;
}

export interface ResourceWatch extends Disposable {
  /** Resolves when the server has accepted the subscription. Rejects with a `HostError` if it does not. */
  readonly agreed: Promise<void>;
}

/** A log message of a server (MCP "Logging"), without secrets. */
export interface ServerLog {
  readonly server: string;
  readonly level: LogLevelName;
  readonly logger: string | undefined;
  readonly data: Json;
}

/** The push events of all servers (MCPL §9): their content, whether they were read, and the model's answer. */
export interface EventInbox {
  /** Fires once per burst of changes. */
  readonly onDidChange: Event<void>;
  /** Events whose policy notifies the user, in bursts as they arrive. */
  readonly onDidArrive: Event<readonly InboundEvent[]>;
  readonly unread: number;
  /** Newest first. Events of earlier runs appear once they are read from the store. */
  list(): readonly InboundEvent[];
  find(id: string): InboundEvent | undefined;
  /** Resolves when events of earlier runs are read. */
  loaded(): Promise<void>;
  markRead(ids: readonly string[]): Promise<void>;
  /** Removes the events of one server, or all. */
  clear(server?: string): Promise<void>;
  /** Lets a model answer an event, and stores the answer with it. Rejects with a `HostError`. */
  ask(id: string, token?: CancellationToken): Promise<InboundEvent>;
}

/** Approval requests of servers, and approvals (MCPL §7.6). */
export interface Approvals {
  /** Any of the following changed. */
  readonly onDidChange: Event<void>;
  /** A prompt for the user. Without a listener, requests are denied. */
  readonly onDidAsk: Event<PendingApproval>;
  /** A request was answered or withdrawn: views must remove it. */
  readonly onDidSettle: Event<SettledApproval>;
  /** Whether the chat that made a call may also be asked (`mcpl.approvals.inChat`). */
  asksInChat(): boolean;
  /** Oldest first. */
  pending(): readonly PendingApproval[];
  /** Remembered approvals, newest first. Those of earlier sessions appear once they are read from the store. */
  remembered(): readonly ApprovalGrant[];
  /** Resolves when approvals of earlier sessions are read. */
  loaded(): Promise<void>;
  /**
   * The first answer counts. Returns false if the request was already settled. Resolves when a grant that outlives the
   * session is stored.
   */
  answer(id: string, choice: ApprovalChoice | 'dismiss'): Promise<boolean>;
  revoke(ids: readonly string[]): Promise<void>;
  /** Sets when grants expire. `undefined`: with the object they were given for. */
  setExpiry(ids: readonly string[], until: number | undefined): Promise<void>;
  /** How requests were decided, by lists, grants and users. Newest first. */
  history(limit: number): Promise<readonly AuditEntry[]>;
}

/** The states of feature sets, and rollback (MCPL §8). Operations that are not possible reject with a `HostError`. */
export interface Lineages {
  /** Fires once per burst of changes to the following. */
  readonly onDidChange: Event<void>;
  /** A state could not be computed or stored: notify the user. */
  readonly onDidBreak: Event<StateTrouble>;
  /** As last read. */
  list(): readonly LineageSummary[];
  /** Resolves when states of earlier sessions are read. */
  loaded(): Promise<void>;
  /** Watches for changes by other windows until disposed. */
  watch(): Disposable;
  window(query: LineageQuery): Promise<LineageWindow>;
  checkpoint(rowId: number): Promise<CheckpointDetail | undefined>;
  find(server: string, checkpoint: string): Promise<readonly (Checkpoint & LineageKey)[]>;
  /** The state as text. Absent without a state, or if it cannot be computed. */
  state(rowId: number, form: 'compact' | 'pretty'): Promise<string | undefined>;
  /** The effects of a rollback, to show before the user confirms it. */
  plan(rowId: number): Promise<RollbackPlan>;
  /** Asks the server to go back (MCPL §8.5). The head moves only if the server confirms. */
  rollBack(rowId: number, options?: RollbackOptions): Promise<RollbackResult>;
  /** Continues from a checkpoint without asking the server. Effects outside the state are not undone. */
  continueFrom(rowId: number, conversation?: string): Promise<void>;
  annotate(rowId: number, change: Annotation): Promise<void>;
  exportTo(key: LineageKey, file: string): Promise<number>;
  importFrom(key: LineageKey, file: string): Promise<StateImport>;
  forget(key: LineageKey): Promise<void>;
}

export interface StateTrouble extends LineageKey {
  /** The checkpoint without a state; absent if it could not be stored. */
  readonly place: number | undefined;
  readonly tool: string | undefined;
  readonly problem: string;
}

export interface RollbackPlan extends LineagePath, LineageKey {
  /** Why the server cannot be asked now, as a sentence with the next step. Absent if it can. */
  readonly hindrance: string | undefined;
  /** Whether `continueFrom` can be offered. */
  readonly canContinue: boolean;
  /** Tools of the discarded calls, how often each ran, and whether it declares effects beyond its server's state. */
  readonly tools: readonly { readonly tool: string; readonly count: number; readonly reachesOut: boolean }[];
}

export interface RollbackOptions extends Pick<CallOptions, 'token'> {
  /** The conversation whose head moves. Absent: the shared head. */
  readonly conversation?: string | undefined;
}

export type RollbackResult =
  | { readonly kind: 'rolledBack'; readonly head: Checkpoint }
  /** The server reports another checkpoint than the requested one. */
  | { readonly kind: 'elsewhere'; readonly head: Checkpoint; readonly asked: Checkpoint }
  /** MCPL §8.6: the server refused. The head did not move. */
  | { readonly kind: 'refused'; readonly reason: string; readonly canContinue: boolean }
  /** MCPL §8.8: the server no longer has the checkpoint. The head did not move. */
  | { readonly kind: 'pruned'; readonly canContinue: boolean }
  /** The result is unknown. The head did not move here. */
  | { readonly kind: 'unanswered'; readonly reason: string; readonly canContinue: boolean };

/** Actions of the host under MCPL (§13.2), newest first. */
export interface AuditLog {
  readonly onDidAppend: Event<readonly AuditRecord[]>;
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

/** One request to a model, with the hooks of all servers around it. */
export interface TurnRequest {
  readonly conversationId: string;
  /** Starts at 0. */
  readonly turnIndex: number;
  /** The message of the user. Null if the model continues without one. */
  readonly userMessage: string | null;
  /** The whole conversation. The user's message is the last one with the user's role. */
  readonly messages: readonly ModelMessage[];
  /** Absent: the host chooses one. */
  readonly model?: LanguageModel | undefined;
  /** Set if the id was announced before the turn began. */
  readonly inferenceId?: string | undefined;
  readonly justification: string;
  /** Called with pieces of the answer, or once at the end if a server may still change it. */
  readonly onText?: ((delta: string) => void) | undefined;
  /** Short descriptions of slow steps, such as the server being asked. */
  readonly onStep?: ((step: string) => void) | undefined;
  readonly token?: CancellationToken | undefined;
}

export interface TurnResult {
  readonly inferenceId: string;
  readonly text: string;
  readonly model: ModelFacts;
  readonly usage: Usage;
  readonly finishReason: 'end_turn' | 'max_tokens' | 'stop_sequence';
  /** Servers that added context, in order. */
  readonly injectedBy: readonly { readonly server: string; readonly namespace: string; readonly position: string }[];
  /** Servers that changed the answer, in order. */
  readonly modifiedBy: readonly string[];
  /** Differences from the requests of servers, a sentence each. */
  readonly remarks: readonly string[];
}

/** An inference that runs elsewhere: in a chat of the editor, or in a wrapped model. */
export interface InferenceOpening {
  readonly conversationId: string;
  /** Starts at 0. */
  readonly turnIndex: number;
  /** The message of the user; null if the model continues after a tool's result. */
  readonly userMessage: string | null;
  readonly model: ModelFacts;
  /**
   * The answer streams and cannot be changed. The inference is not opened if a server must check every answer
   * (ANSWER_WITHHELD).
   */
  readonly isShownAtOnce?: boolean | undefined;
  /** The most time that servers get for their context, whatever their settings say. */
  readonly contextMs?: number | undefined;
  /** Receives short descriptions of slow steps. */
  readonly onStep?: ((step: string) => void) | undefined;
  readonly token?: CancellationToken | undefined;
}

/** Servers were asked for context, the model was not asked yet. The caller must finish or abandon it. */
export interface OpenInference {
  readonly inferenceId: string;
  /** In order. Each names its server, and its text cannot claim another one. */
  readonly context: readonly PlacedContext[];
  readonly injectedBy: TurnResult['injectedBy'];
  /** Differences from the requests of servers, a sentence each. */
  readonly remarks: readonly string[];
  /** Whether servers may change the answer. Nothing of it may be shown before `finish`. */
  readonly isChecked: boolean;
  /**
   * Lets servers check the answer, and notifies the others. A repeated call returns the same. Rejects with a
   * `HostError`: ANSWER_WITHHELD, CANCELLED.
   */
  finish(answer: GivenAnswer): Promise<FinishedAnswer>;
  /** There is no answer: no server is notified of the inference. Has no effect after `finish`. */
  abandon(): void;
}

export interface PlacedContext {
  readonly position: InjectionPosition;
  readonly message: ModelMessage;
}

export interface GivenAnswer {
  readonly text: string;
  readonly usage: Usage;
}

export interface FinishedAnswer {
  /** The answer to show. */
  readonly text: string;
  readonly modifiedBy: readonly string[];
  readonly remarks: readonly string[];
}

/** The use of models, and the remaining budget of each server. */
export interface ModelUses {
  /** Fires once per burst of uses. */
  readonly onDidChange: Event<void>;
  /** Counts uses outside the host's turns: sampling, turns of a chat, wrapped models. */
  record(use: ModelUseRecord): void;
  /**
   * Reserves budget for one use of a model by a server, without a prompt. The caller records the use, if there was one,
   * and then releases the reservation.
   */
  reserve(server: string): Promise<ModelReservation>;
  /** The current budget. `undefined` for an unknown server. */
  budget(server: string): ModelBudget | undefined;
  /** The use since then. Most tokens first. */
  totals(since: number): Promise<readonly ModelUseTotal[]>;
}

/** A server requested a model, but the user has not allowed the use of any. */
export interface ModelRefusal {
  readonly server: string;
  readonly reason: 'no_model' | 'no_permission';
}

/** Runs servers as the settings say, and offers their tools. Every adapter (editor, terminal, gateway) uses it. */
export interface Host {
  readonly onDidChangeServer: Event<ServerChange>;
  /** Fires when problems that concern the whole setting changed. */
  readonly onDidChangeProblems: Event<void>;
  /** Fires at every step of every operation. */
  readonly onDidChangeOperation: Event<Operation>;
  /** In settings order. */
  servers(): readonly ServerSnapshot[];
  server(id: string): ServerSnapshot | undefined;
  /** All problems of the current settings. */
  problems(): readonly SettingsProblem[];

  /** Applies new settings. Starts, stops and restarts only the servers that changed. */
  configure(settings: HostSettings): void;

  /** Starts a server on request. Resolves when it runs. Rejects with a `HostError` if it does not. */
  start(id: string): Promise<void>;
  /** Stops a server on request, until it is started or its `enabled` changes. */
  stop(id: string): Promise<void>;
  restart(id: string): Promise<void>;
  /** Cancels all tool calls that the server has not answered. */
  cancelCalls(id: string): void;

  /** Calls a tool of a server. All routes end here. Rejects with a `HostError`. */
  callTool(request: ToolCallRequest, options?: CallOptions): Promise<ResultView>;

  /**
   * The current contents of a resource. Rejects with a `HostError`: UNKNOWN_RESOURCE if the server does not know it.
   */
  readResource(id: string, uri: string, options?: CallOptions): Promise<ResourceReading>;
  /** Reports changes of a resource until the subscription is disposed, across restarts of the server. */
  subscribeResource(id: string, uri: string, listener: (uri: string) => void): ResourceWatch;
  getPrompt(
    id: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptResult>;
  /** The server's proposals for an argument. May be empty. */
  complete(id: string, request: CompletionRequest, options?: CompleteOptions): Promise<Completion>;
  /** Sets the server's log level. This choice of the user overrides requests of clients. */
  setLogLevel(id: string, level: LogLevelName): Promise<void>;
  logLevel(id: string): LogLevelName | undefined;
  /**
   * Requests a log level for a listener of `onDidLog`. Unless the user chose a level, the server gets the most detailed
   * requested one. Dispose the result to end the request; the server keeps its last level.
   */
  wishLogLevel(id: string, level: LogLevelName): Disposable;
  /** Log entries of servers, at any level. During floods, the first ones of each second. */
  readonly onDidLog: Event<ServerLog>;
  /** The recorded messages of the server's connections. Returns the same object until the server is removed. */
  trace(id: string): ProtocolTrace;
  /** Reads all lists of the server again. */
  refresh(id: string, token?: CancellationToken): Promise<void>;

  readonly events: EventInbox;
  readonly audit: AuditLog;
  readonly approvals: Approvals;
  readonly lineages: Lineages;
  /** A server did not get a model because the user has not allowed it. */
  readonly onDidRefuseModel: Event<ModelRefusal>;
  readonly alsoEvents: AlsoEvents;
  /** Runs a turn with the hooks of all servers around it (MCPL §10). Rejects with a `HostError`. */
  runTurn(request: TurnRequest): Promise<TurnResult>;
  /** The same, but only the hooks: the inference runs elsewhere. Rejects with a `HostError`. */
  openInference(opening: InferenceOpening): Promise<OpenInference>;
  readonly modelUses: ModelUses;
  /**
   * The user switched feature sets in a view of the host. These settings then need no prompt, and a set with a changed
   * declaration is on again. The caller also writes the settings.
   */
  allowFeatureSets(id: string, names: readonly string[], enabled: boolean): Promise<void>;
  /** The same for the push policy of a set. */
  allowPushPolicy(id: string, featureSet: string, policy: PushPolicy): Promise<void>;

  /** The user changes these settings of a server in a view of the host, so they need no prompt. */
  allowChange(id: string, keys: readonly EntryKey[]): void;
  /** Limits for all servers together, within the consent of the user. */
  readonly limits: HostLimits;

  /** The user wrote this server's entry in a view of the host, so its next start needs no prompt. */
  allowStart(id: string): Promise<void>;
  /** The user requested the next start in a view of the host, so files of the workspace may be part of it. */
  chooseStart(id: string): void;
  /**
   * The user chose in a view of the host whether these tools are called without a prompt. The choice needs no prompt
   * itself. After a removal, a grant by the workspace's settings prompts again. The trust covers only the current
   * definitions, or the one that the user saw.
   */
  setAutoApproved(id: string, tools: readonly string[], autoApproved: boolean, seen?: Tool): Promise<void>;
  /** Answers for changed definitions (`OfferedTool.change`). One that changed again meanwhile stays unanswered. */
  answerDefinitions(id: string, seen: readonly SeenDefinition[], answer: DefinitionAnswer): Promise<void>;
  /** Forgets the consent for a server. Its next start prompts again. */
  forgetConsent(id: string): Promise<void>;

  /**
   * Replaces every known secret by `[secret: NAME]`. Use it for any text that a model, a log or another program reads.
   */
  redact(text: string): string;
  /** Stops every server in order. */
  close(): Promise<void>;
}
