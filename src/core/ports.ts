import type { CancellationToken } from './base/cancellation.ts';
import type { Clock } from './base/clock.ts';
import type { Disposable } from './base/disposable.ts';
import type { SecretList } from './base/secrets.ts';
import type { Event } from './base/event.ts';
import type { Logger } from './base/log.ts';
import type { InputPorts } from './inputPorts.ts';
import type { AuditEntry, AuditQuery, AuditRecord, AuditTotal } from './model/audit.ts';
import type { AuthSettings } from './model/auth.ts';
import type { EventOutcome, InboundEvent } from './model/inboundEvent.ts';
import type { Grant } from './model/grant.ts';
import type {
  Checkpoint,
  CheckpointDetail,
  HeadMove,
  LineageKey,
  LineagePath,
  LineageQuery,
  LineageSummary,
  LineageWindow,
  StateKeeper,
} from './model/lineage.ts';
import type { Contributor, Era, RemoteTransport } from './model/server.ts';
import type { Weakening } from './model/settingRules.ts';
import type { Models } from './modelPorts.ts';
import type { Transport } from './rpc/transport.ts';

export type { Clock } from './base/clock.ts';

/** Everything the core needs of the outside. Each port is as small as its use; nothing else is ambient. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logs: Logs;
  readonly storage: Storage;
  readonly variables: VariableSource;
  readonly connector: Connector;
  readonly consent: ConsentPrompt;
  /** Requests of servers to the person and to the person's models. */
  readonly inputs: InputPorts;
  readonly models: Models;
  readonly fileNames: FileNames;
}

/** Randomness and digests. */
export interface Ids {
  uuid(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /** The SHA-256 of UTF-8 text, in hex. */
  sha256(text: string): string;
}

export interface Logs {
  /** What the host itself has to say. */
  readonly host: Logger;
  /** The channel of one server: its stderr, its state changes, what it said that was not understood. */
  server(id: string): Logger;
}

/** Where settings' variables get their values. */
export interface VariableSource {
  /** Names and absolute paths of the open folders, the first one being `${workspaceFolder}`. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly userHome: string;
  /** Fires when folders were opened or closed. Absent if they never change. */
  readonly onDidChangeFolders?: Event<void> | undefined;
  env(name: string): string | undefined;
  /**
   * The answer to `${input:id}`, asked once and remembered, for the user's own servers apart from those that the
   * workspace defines: a repository must not get what was typed for another server.
   */
  input(id: string, token: CancellationToken, definedBy: 'user' | 'workspace'): Promise<InputAnswer>;
  /** The text of a file named by settings (an `envFile`). Rejects with a message that names the file. */
  readFile(path: string): Promise<string>;
}

export type InputAnswer =
  | { readonly kind: 'value'; readonly value: string; readonly secret: boolean }
  | { readonly kind: 'declined' }
  | { readonly kind: 'undeclared' };

/** What the file system says of names. Contents are never read. */
export interface FileNames {
  /** How absolute paths are written. */
  readonly style: 'posix' | 'windows';
  /** Whether names that differ only in case are one. */
  readonly ignoresCase: boolean;
  /**
   * Where an absolute path leads, `.`, `..` and links walked through as the system does, also through links that lead to
   * nothing yet; what does not exist is taken as it is written. Never rejects.
   */
  real(path: string, token: CancellationToken): Promise<RealName>;
}

export type RealName =
  | { readonly kind: 'real'; readonly path: string; readonly exists: boolean }
  /** A loop, a folder that cannot be looked into, no answer in time: a sentence. */
  | { readonly kind: 'unknown'; readonly why: string };

/** A connection with every variable expanded. */
export type Connection = StdioConnection | RemoteConnection;

export interface StdioConnection {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the host's process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** How messages are written; reading takes either. Default: a line each. */
  readonly framing?: 'lines' | 'contentLength' | undefined;
}

export interface RemoteConnection {
  readonly kind: 'remote';
  /** Begins with http or https, for WebSocket with ws or wss. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly transport: RemoteTransport;
  readonly auth?: AuthSettings | undefined;
}

export interface OpenTransport {
  readonly transport: Transport;
  /** The process of the server, if it is one. */
  readonly pid: number | undefined;
  /** Tells whether it waits for a person (who signs in, say): that time is not the server's, and no timeout counts it. */
  readonly onWaiting?: Event<boolean> | undefined;
}

export interface Connector {
  /** Opens a connection; rejects with a `HostError` that says what to do next. */
  open(connection: Connection, context: ConnectContext): Promise<OpenTransport>;
  /** Takes the list that the host redacts with. Connections add their own secrets: tokens. */
  keepSecrets?(secrets: SecretList): void;
}

export interface ConnectContext {
  readonly serverId: string;
  readonly token: CancellationToken;
  /** Lines of stderr, noise on stdout, and other remarks, for the server's log channel. */
  readonly log: Logger;
  /** Takes the connection's secrets out of a text, for what is cut short before it gets to the log. */
  readonly redact: (text: string) => string;
  /**
   * After `initialize`: the revision, which some transports must name on every message. Never fires on a stateless
   * connection, each message of which names its revision itself.
   */
  readonly negotiated?: (listener: (protocolVersion: string) => void) => Disposable;
}

/** What survives a restart. Every write is durable when its promise resolves. */
export interface Storage {
  readonly consents: ConsentStore;
  readonly verdicts: VerdictStore;
  readonly events: EventStore;
  readonly grants: GrantStore;
  /** Grants that hold in every workspace: the definitions of tools that models may call without asking. */
  readonly trust: GrantStore;
  readonly audit: AuditStore;
  readonly states: StateStore;
  close(): Promise<void>;
}

/** What a server was found to speak, so that it is not asked at every start. */
export interface EraVerdict {
  /** Of the connection, as for consents: another program may speak otherwise. */
  readonly fingerprint: string;
  readonly era: Era;
  /** Whether MCPL was announced: such a server is opened with `initialize`, never probed. */
  readonly mcpl: boolean;
  readonly at: number;
}

export interface VerdictStore {
  find(fingerprint: string): Promise<EraVerdict | undefined>;
  /** Replaces what was known of the fingerprint. */
  save(verdict: EraVerdict): Promise<void>;
  forget(fingerprint: string): Promise<void>;
}

/** Events of servers. One is told apart by its server and the server's own id for it. */
export interface EventStore {
  /** Keeps an event together with its record in the audit, or says that it is kept already. */
  admit(event: InboundEvent, record: AuditRecord): Promise<Admission>;
  /** The newest first. */
  list(limit: number): Promise<readonly InboundEvent[]>;
  change(id: string, change: EventChange): Promise<void>;
  markRead(ids: readonly string[]): Promise<void>;
  /** Of one server, or all. */
  clear(server: string | undefined): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes the oldest beyond that many. */
  trim(keep: number): Promise<void>;
}

export type Admission =
  { readonly kind: 'kept' } | { readonly kind: 'known'; readonly inferenceId: string | undefined };

export interface EventChange {
  readonly inferenceId?: string | undefined;
  readonly outcome: EventOutcome;
}

export interface GrantStore {
  /** Of one kind, or all; the oldest first. */
  list(kind?: Grant['kind']): Promise<readonly Grant[]>;
  /** As it is kept now: another window may have changed or revoked it. */
  find(id: string): Promise<Grant | undefined>;
  /** Replaces a grant of the same id. */
  save(grant: Grant): Promise<void>;
  revoke(ids: readonly string[]): Promise<void>;
}

/** Append-only. */
export interface AuditStore {
  append(records: readonly AuditRecord[]): Promise<void>;
  /** The newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** What a server used up of models since then. */
  used(server: string, since: number): Promise<readonly ModelUse[]>;
  /** The use of models since then, by server, operation and model. */
  totals(since: number): Promise<readonly AuditTotal[]>;
  /** Removes what is older. */
  trim(before: number): Promise<void>;
}

/**
 * The lineages of all feature sets with state (MCPL §8). States are text on this side: the store parses, patches and
 * writes them, so that a large one does not block the host.
 */
export interface StateStore {
  /** What the next call of a set is sent with. */
  base(key: LineageKey, conversation: string | undefined, keeper: StateKeeper | 'either'): Promise<StateBase>;
  /** Keeps a checkpoint, or says why there is no state at it; what was kept before is never touched. */
  record(update: StateUpdate): Promise<StateRecord>;
  /** Makes a checkpoint the head, and takes away what blocked the lineage; or notes that it was refused. */
  move(move: HeadMove, conversation: string | undefined): Promise<void>;
  /** Its server no longer has it. */
  markPruned(place: number): Promise<void>;
  annotate(place: number, change: Annotation): Promise<void>;
  lineages(): Promise<readonly LineageSummary[]>;
  window(query: LineageQuery): Promise<LineageWindow>;
  checkpoint(place: number): Promise<CheckpointDetail | undefined>;
  /** Checkpoints of any set of a server that it calls so, the newest first. */
  find(server: string, checkpoint: string): Promise<readonly (Checkpoint & LineageKey)[]>;
  path(target: number): Promise<LineagePath | undefined>;
  /** The state at a checkpoint, as text; absent if it cannot be computed. */
  state(place: number, form: 'compact' | 'pretty'): Promise<string | undefined>;
  /** Gives up what is beyond the limits, but for heads, what is pinned, and what these build on. */
  trim(limits: StateLimits, now: number): Promise<void>;
  /** Writes a lineage to a file; resolves with how many checkpoints it holds. */
  exportTo(key: LineageKey, file: string): Promise<number>;
  /** Adds what such a file holds, all of it or nothing. */
  importFrom(key: LineageKey, file: string): Promise<StateImport>;
  /** Gives up a lineage with all its states. */
  forget(key: LineageKey): Promise<void>;
  /** Another number after any change, whichever window made it. */
  version(): Promise<number>;
}

export interface StateBase {
  readonly keeper: StateKeeper;
  readonly head: Checkpoint | undefined;
  /** The state at the head, if the host keeps it. Absent before the first state. */
  readonly state: string | undefined;
  /** The call must not be sent: this checkpoint's state could not be made (docs/decisions/state-contents.md). */
  readonly blocked: Checkpoint | undefined;
}

export interface NewStateBody {
  readonly kind: 'data' | 'patch';
  readonly text: string;
  /** Line breaks, double names and all: whoever stores it writes it as this host would. */
  readonly isAsItCame?: boolean | undefined;
}

export interface StateUpdate extends LineageKey {
  readonly conversation: string | undefined;
  /** `either`: the host, as soon as a state comes (since MCPL 0.4.1 the server decides by response). */
  readonly keeper: StateKeeper | 'either';
  readonly checkpoint: string;
  /** `null`: its server says that it is a root. Absent: its server does not say. */
  readonly parent: string | null | undefined;
  /** The head when the request was sent. */
  readonly base: number | undefined;
  /** `rollback`: what a rollback to `base` led to. */
  readonly cause: 'call' | 'update' | 'rollback';
  /** Well-formed JSON that nests no deeper than `STATE_BOUNDS.depth`. */
  readonly body: NewStateBody | undefined;
  readonly at: number;
  readonly tool: string | undefined;
  readonly args: string | undefined;
}

export interface StateRecord {
  readonly kind: 'kept' | 'known' | 'broken';
  readonly node: Checkpoint;
  /** Characters that were stored for it: its patch or data, and the whole state if that was stored as well. */
  readonly written: number;
  /** What a person who reads the server's log may want to know, a sentence each. */
  readonly remarks: readonly string[];
}

export interface Annotation {
  /** Empty: none any more. */
  readonly name?: string | undefined;
  readonly isPinned?: boolean | undefined;
}

export interface StateLimits {
  /** Checkpoints of one lineage. */
  readonly count: number;
  readonly ageMs: number;
  /** Of all lineages together. */
  readonly characters: number;
}

export interface StateImport {
  readonly added: number;
  /** Those that were there already. */
  readonly known: number;
}

/** One use of a model for a server. */
export interface ModelUse {
  readonly at: number;
  readonly tokens: number;
}

/** That a person allowed a server, in exactly this form, to start in this workspace. */
export interface Consent {
  readonly server: string;
  readonly fingerprint: string;
  /** What the workspace's settings were allowed to grant beyond the defaults. */
  readonly grants: StartGrants;
  readonly at: number;
}

export interface StartGrants {
  /** Tools that models may call without being asked, in sorted order. */
  readonly autoApprove: readonly string[];
  /** What else, a line each as `grantLines` writes it, in sorted order; absent in what earlier versions kept. */
  readonly others?: readonly string[] | undefined;
}

export interface ConsentStore {
  find(server: string, fingerprint: string): Promise<Consent | undefined>;
  save(consent: Consent): Promise<void>;
  list(): Promise<readonly Consent[]>;
  /** Forgets every consent of one server. */
  forget(server: string): Promise<void>;
}

/** Asks the person, once, whether a server that the workspace defines, or an extension contributes, may start. */
export interface ConsentPrompt {
  ask(question: StartQuestion, token: CancellationToken): Promise<StartAnswer>;
  /** Asks whether the workspace may weaken the user's own settings. Without it, the workspace may not. */
  askToWeaken?(question: WeakeningQuestion, token: CancellationToken): Promise<WeakeningAnswer>;
}

export interface WeakeningQuestion {
  /** Absent for settings of the whole window. */
  readonly server: string | undefined;
  readonly weakenings: readonly Weakening[];
}

/** `keep` is remembered, like `allow`. A dismissed question is asked again in the next window. */
export type WeakeningAnswer = 'allow' | 'keep' | 'dismissed';

export interface StartQuestion {
  readonly server: string;
  /** `workspaceFiles`: of a server that the workspace does not define, because files of it would become part of it. */
  readonly reason: 'first' | 'changed' | 'widened' | 'workspaceFiles';
  readonly kind: 'command' | 'url';
  /** The whole command line, or the URL, so that no text in it closes double quotes around it. */
  readonly target: string;
  readonly cwd: string | undefined;
  /**
   * One sentence each, whole: what starting grants beyond the defaults, and where its parts come from. The most
   * dangerous comes first. All text of settings is in double quotes.
   */
  readonly remarks: readonly string[];
  /** The extension that contributes the server; absent where the workspace defines it. */
  readonly contributor?: Contributor | undefined;
}

/** A dismissed question is no permission. */
export type StartAnswer = 'start' | 'dontStart' | 'openSettings' | 'dismissed';
