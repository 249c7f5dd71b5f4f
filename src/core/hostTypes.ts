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

/** What changed. Several changes of one server within one turn are told as they come; snapshots are always whole. */
export interface ServerChange {
  readonly server: string;
  readonly what: 'added' | 'removed' | 'settings' | 'state' | 'tools' | 'resources' | 'prompts' | 'mcpl';
}

export interface CallOptions {
  readonly token?: CancellationToken | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface CompleteOptions extends Pick<CallOptions, 'token'> {
  /** Whoever fills in the value, in words of the caller's: a newer question of the same one overtakes the one before. */
  readonly asker?: string | undefined;
}

/** What a server gave for a resource. */
export interface ResourceReading {
  readonly contents: readonly ResourceContents[];
  /** As it came. */
  readonly raw: Json;
}

export interface ResourceWatch extends Disposable {
  /** Resolves when the server has agreed to tell, rejects with a `HostError` when it does not. */
  readonly agreed: Promise<void>;
}

/** What a server wanted to have logged (MCP "Logging"), without what must not be seen. */
export interface ServerLog {
  readonly server: string;
  readonly level: LogLevelName;
  readonly logger: string | undefined;
  readonly data: Json;
}

/** The push events of all servers (MCPL §9): what arrived, whether it was read, what a model made of it. */
export interface EventInbox {
  /** Something changed; a burst fires once. */
  readonly onDidChange: Event<void>;
  /** An event that its policy says to tell a person of, in bursts as they come. */
  readonly onDidArrive: Event<readonly InboundEvent[]>;
  readonly unread: number;
  /** The newest first; those of earlier runs as soon as they were read from the store. */
  list(): readonly InboundEvent[];
  find(id: string): InboundEvent | undefined;
  /** Resolves when what earlier runs left was read. */
  loaded(): Promise<void>;
  markRead(ids: readonly string[]): Promise<void>;
  /** Of one server, or all. */
  clear(server?: string): Promise<void>;
  /** Has a model look at an event; its answer is kept with it. Rejects with a `HostError`. */
  ask(id: string, token?: CancellationToken): Promise<InboundEvent>;
}

/** Requests of servers for approval, and approvals (MCPL §7.6). */
export interface Approvals {
  /** Anything of what follows changed. */
  readonly onDidChange: Event<void>;
  /** A question for a person. Without a listener, requests are denied. */
  readonly onDidAsk: Event<PendingApproval>;
  /** A request is answered, or void: whoever shows it takes it away. */
  readonly onDidSettle: Event<SettledApproval>;
  /** Whether the chat that a call came from may be asked as well (`mcpl.approvals.inChat`). */
  asksInChat(): boolean;
  /** The oldest first. */
  pending(): readonly PendingApproval[];
  /** Remembered approvals, the newest first; those of earlier sessions as soon as they are read from the store. */
  remembered(): readonly ApprovalGrant[];
  /** Resolves when what earlier sessions left was read. */
  loaded(): Promise<void>;
  /**
   * The first answer counts; false where the request was settled before. Resolves when a grant that outlives the
   * session is durable.
   */
  answer(id: string, choice: ApprovalChoice | 'dismiss'): Promise<boolean>;
  revoke(ids: readonly string[]): Promise<void>;
  /** When grants end; `undefined`: with what they were given for. */
  setExpiry(ids: readonly string[], until: number | undefined): Promise<void>;
  /** How requests were decided, by lists, grants and persons; the newest first. */
  history(limit: number): Promise<readonly AuditEntry[]>;
}

/** The states of feature sets, and the way back (MCPL §8). Where something cannot be done, these reject with a `HostError`. */
export interface Lineages {
  /** One of the following changed; a burst fires once. */
  readonly onDidChange: Event<void>;
  /** A state could not be made or stored: a person should know. */
  readonly onDidBreak: Event<StateTrouble>;
  /** As they were read last. */
  list(): readonly LineageSummary[];
  /** Resolves when what earlier sessions left was read. */
  loaded(): Promise<void>;
  /** Watches for changes by other windows, until it is disposed. */
  watch(): Disposable;
  window(query: LineageQuery): Promise<LineageWindow>;
  checkpoint(place: number): Promise<CheckpointDetail | undefined>;
  find(server: string, checkpoint: string): Promise<readonly (Checkpoint & LineageKey)[]>;
  /** As text; absent without a state, or if it cannot be computed. */
  state(place: number, form: 'compact' | 'pretty'): Promise<string | undefined>;
  /** What a rollback would mean: to be shown before it is asked for. */
  plan(place: number): Promise<RollbackPlan>;
  /** Asks the server to go back (MCPL §8.5). Nothing moves unless it says that it did. */
  rollBack(place: number, options?: RollbackOptions): Promise<RollbackResult>;
  /** Works on from there without asking the server: nothing that was done in the world is undone. */
  continueFrom(place: number, conversation?: string): Promise<void>;
  annotate(place: number, change: Annotation): Promise<void>;
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
  /** Whether the server can be asked now; else why not, as a sentence with the next step. */
  readonly hindrance: string | undefined;
  /** Whether `continueFrom` can be offered. */
  readonly canContinue: boolean;
  /** Tools of what would be left, how often each, and whether by its own words it reaches beyond its server's state. */
  readonly tools: readonly { readonly tool: string; readonly count: number; readonly reachesOut: boolean }[];
}

export interface RollbackOptions extends Pick<CallOptions, 'token'> {
  /** Whose head it is; absent: the one of all that have none of their own. */
  readonly conversation?: string | undefined;
}

export type RollbackResult =
  | { readonly kind: 'rolledBack'; readonly head: Checkpoint }
  /** The server says that it is now at a checkpoint of another name. */
  | { readonly kind: 'elsewhere'; readonly head: Checkpoint; readonly asked: Checkpoint }
  /** MCPL §8.6: the server could not; nothing moved. */
  | { readonly kind: 'refused'; readonly reason: string; readonly canContinue: boolean }
  /** MCPL §8.8: the server no longer has it; nothing moved. */
  | { readonly kind: 'pruned'; readonly canContinue: boolean }
  /** It is unknown whether it happened; nothing moved here. */
  | { readonly kind: 'unanswered'; readonly reason: string; readonly canContinue: boolean };

/** What the host did under MCPL (§13.2), newest first. */
export interface AuditLog {
  readonly onDidAppend: Event<readonly AuditRecord[]>;
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

/** One round with a model, with the hooks of all servers around it. */
export interface TurnRequest {
  readonly conversationId: string;
  /** From 0. */
  readonly turnIndex: number;
  /** The message of the user; null if the model continues without one. */
  readonly userMessage: string | null;
  /** The whole conversation; the user's message is the last one of the user's. */
  readonly messages: readonly ModelMessage[];
  /** Absent: the host chooses one. */
  readonly model?: LanguageModel | undefined;
  /** Given where the id was told before the turn began. */
  readonly inferenceId?: string | undefined;
  readonly justification: string;
  /** Pieces of the answer; all at once, at the end, where a server may still change it. */
  readonly onText?: ((delta: string) => void) | undefined;
  /** Steps that take a while, in a few words: which server is being asked. */
  readonly onStep?: ((step: string) => void) | undefined;
  readonly token?: CancellationToken | undefined;
}

export interface TurnResult {
  readonly inferenceId: string;
  readonly text: string;
  readonly model: ModelFacts;
  readonly usage: Usage;
  readonly finishReason: 'end_turn' | 'max_tokens' | 'stop_sequence';
  /** Servers that put something into the context, in order. */
  readonly injectedBy: readonly { readonly server: string; readonly namespace: string; readonly position: string }[];
  /** Servers that changed the answer, in order. */
  readonly modifiedBy: readonly string[];
  /** Differences from the requests of servers, a sentence each. */
  readonly remarks: readonly string[];
}

/** An inference that runs elsewhere: in a chat of the editor, or in a wrapped model. */
export interface InferenceOpening {
  readonly conversationId: string;
  /** From 0. */
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
  /** Steps that take a while, in a few words. */
  readonly onStep?: ((step: string) => void) | undefined;
  readonly token?: CancellationToken | undefined;
}

/** Servers have been asked for context; the model has not been asked yet. Whoever opens it finishes or abandons it. */
export interface OpenInference {
  readonly inferenceId: string;
  /** In order. Each names its server, and its text cannot claim another one. */
  readonly context: readonly PlacedContext[];
  readonly injectedBy: TurnResult['injectedBy'];
  /** Differences from the requests of servers, a sentence each. */
  readonly remarks: readonly string[];
  /** Whether servers may change the answer: nothing of it may be shown before `finish`. */
  readonly isChecked: boolean;
  /**
   * Has the answer checked by those who may change it, and told to the others. Asked again it gives the same. Rejects
   * with a `HostError`: ANSWER_WITHHELD, CANCELLED.
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

/** Which models were used by whom, and what is left to each server. */
export interface ModelUses {
  /** A model was used; a burst fires once. */
  readonly onDidChange: Event<void>;
  /** Counts what ran beside the host: sampling, turns of a chat, wrapped models. */
  record(use: ModelUseRecord): void;
  /**
   * Reserves budget for one use of a model by a server, without a question to the person. The caller records the use, if
   * there was one, and then releases the reservation.
   */
  reserve(server: string): Promise<ModelReservation>;
  /** As it is known now; undefined for a server that there is not. */
  budget(server: string): ModelBudget | undefined;
  /** The use since then, the most tokens first. */
  totals(since: number): Promise<readonly ModelUseTotal[]>;
}

/** A server wants a model, and the person has not allowed the use of any. */
export interface ModelRefusal {
  readonly server: string;
  readonly reason: 'no_model' | 'no_permission';
}

/** A host of servers: settings in, servers and their tools out. What every adapter (editor, terminal, gateway) uses. */
export interface Host {
  readonly onDidChangeServer: Event<ServerChange>;
  /** Fires when what is wrong with the setting as a whole, and so with no one server, changed. */
  readonly onDidChangeProblems: Event<void>;
  /** Fires at every step of every operation. */
  readonly onDidChangeOperation: Event<Operation>;
  /** In the order of the settings. */
  servers(): readonly ServerSnapshot[];
  server(id: string): ServerSnapshot | undefined;
  /** All that is wrong with the settings now. */
  problems(): readonly SettingsProblem[];

  /** Takes new settings: starts, stops and restarts what they ask for, and nothing else. */
  configure(settings: HostSettings): void;

  /** Starts a server by hand; resolves when it runs, rejects with a `HostError` when it does not. */
  start(id: string): Promise<void>;
  /** Stops a server by hand; it stays stopped until it is started or its `enabled` changes. */
  stop(id: string): Promise<void>;
  restart(id: string): Promise<void>;
  /** Cancels all tool calls that the server has not answered. */
  cancelCalls(id: string): void;

  /** The one way to a server's tools, whatever route a call comes by. Rejects with a `HostError`. */
  callTool(request: ToolCallRequest, options?: CallOptions): Promise<ResultView>;

  /** What a resource holds now. Rejects with a `HostError`: UNKNOWN_RESOURCE where the server has none such. */
  readResource(id: string, uri: string, options?: CallOptions): Promise<ResourceReading>;
  /** Reports changes of a resource until the subscription is disposed, through restarts of the server. */
  subscribeResource(id: string, uri: string, listener: (uri: string) => void): ResourceWatch;
  getPrompt(
    id: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<PromptResult>;
  /** The proposals of the server for an argument; may be empty. */
  complete(id: string, request: CompletionRequest, options?: CompleteOptions): Promise<Completion>;
  /** How much the server is to log from now on: what a person chose, which wins over every wish. */
  setLogLevel(id: string, level: LogLevelName): Promise<void>;
  logLevel(id: string): LogLevelName | undefined;
  /**
   * The level that a listener of `onDidLog` needs. Unless a person chose a level, the server gets the most detailed one that
   * is needed. Dispose it to end the need; the server keeps its last level.
   */
  wishLogLevel(id: string, level: LogLevelName): Disposable;
  /** What servers log, whatever of it the host's own log shows; of a flood, the first of each second. */
  readonly onDidLog: Event<ServerLog>;
  /** What went over the server's connections while it was recorded. The same object for as long as the server is there. */
  trace(id: string): ProtocolTrace;
  /** Reads all lists of the server again. */
  refresh(id: string, token?: CancellationToken): Promise<void>;

  readonly events: EventInbox;
  readonly audit: AuditLog;
  readonly approvals: Approvals;
  readonly lineages: Lineages;
  /** A server was refused a model that a person could give it. */
  readonly onDidRefuseModel: Event<ModelRefusal>;
  readonly alsoEvents: AlsoEvents;
  /** Runs a turn with the hooks of all servers around it (MCPL §10). Rejects with a `HostError`. */
  runTurn(request: TurnRequest): Promise<TurnResult>;
  /** The same for an inference that runs elsewhere: only the hooks. Rejects with a `HostError`. */
  openInference(opening: InferenceOpening): Promise<OpenInference>;
  readonly modelUses: ModelUses;
  /**
   * The person chose in a view of the host which feature sets are on. These settings then need no question, and a set with
   * a changed declaration is on again. The caller writes the settings as well.
   */
  allowFeatureSets(id: string, names: readonly string[], enabled: boolean): Promise<void>;
  /** The same for what becomes of the push events of a set. */
  allowPushPolicy(id: string, featureSet: string, policy: PushPolicy): Promise<void>;

  /** Says that the person changes these settings of a server in our own views: no question follows. */
  allowChange(id: string, keys: readonly EntryKey[]): void;
  /** Limits for all servers together, within the consent of the user. */
  readonly limits: HostLimits;

  /** Says that the person wrote this server's entry in one of our own views: its next start asks nothing. */
  allowStart(id: string): Promise<void>;
  /** Says that the person asked for the next start in one of our own views: files of the workspace may be part of it. */
  chooseStart(id: string): void;
  /**
   * Says that the person chose, in one of our own views, which tools are called without asking: no question follows,
   * and what was taken back is asked for if the workspace's settings grant it again. The trust is bound to the
   * definitions as they are now, or to the one that the person saw.
   */
  setAutoApproved(id: string, tools: readonly string[], autoApproved: boolean, seen?: Tool): Promise<void>;
  /** Answers for changed definitions (`OfferedTool.change`); one that changed again meanwhile stays unanswered. */
  answerDefinitions(id: string, seen: readonly SeenDefinition[], answer: DefinitionAnswer): Promise<void>;
  /** Forgets that a server was allowed to start: its next start asks again. */
  forgetConsent(id: string): Promise<void>;

  /** Replaces every secret that is known by `[secret: NAME]`: for whatever a model, a log or another program reads. */
  redact(text: string): string;
  /** Ends every server in order. */
  close(): Promise<void>;
}
