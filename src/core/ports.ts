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

/** Every outside service that the core uses. Each port is as small as its use, and there is no other access. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logs: Logs;
  readonly storage: Storage;
  readonly variables: VariableSource;
  readonly connector: Connector;
  readonly consent: ConsentPrompt;
  /** Requests of servers to the user and the user's models. */
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
  /** Messages of the host itself. */
  readonly host: Logger;
  /** The channel of one server: its stderr, state changes, and messages that could not be parsed. */
  server(id: string): Logger;
}

/** Values of the variables in settings. */
export interface VariableSource {
  /** Names and absolute paths of the open folders. The first one is `${workspaceFolder}`. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  readonly userHome: string;
  /** Fires when folders are opened or closed. Absent if they never change. */
  readonly onDidChangeFolders?: Event<void> | undefined;
  env(name: string): string | undefined;
  /**
   * The answer to `${input:id}`, asked once and remembered. Answers for servers of the user and of the workspace are
   * separate: a repository must not get a value typed for another server.
   */
  input(id: string, token: CancellationToken, definedBy: 'user' | 'workspace'): Promise<InputAnswer>;
  /** The text of a file from the settings (an `envFile`). Rejects with a message that names the file. */
  readFile(path: string): Promise<string>;
}

export type InputAnswer =
  | { readonly kind: 'value'; readonly value: string; readonly secret: boolean }
  | { readonly kind: 'declined' }
  | { readonly kind: 'undeclared' };

/** Resolves file names. Never reads contents. */
export interface FileNames {
  /** The syntax of absolute paths. */
  readonly style: 'posix' | 'windows';
  /** Whether names that differ only in case are equal. */
  readonly ignoresCase: boolean;
  /**
   * Resolves an absolute path with `.`, `..` and links like the system does, also through links to missing files.
   * Missing parts stay as written. Never rejects.
   */
  real(path: string, token: CancellationToken): Promise<RealName>;
}

export type RealName =
  | { readonly kind: 'real'; readonly path: string; readonly exists: boolean }
  /** A loop, an unreadable folder, or no answer in time. In one sentence. */
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
  /** The framing of written messages. Both framings are read. Default: one line per message. */
  readonly framing?: 'lines' | 'contentLength' | undefined;
}

export interface RemoteConnection {
  readonly kind: 'remote';
  /** Starts with http or https, or for WebSocket with ws or wss. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly transport: RemoteTransport;
  readonly auth?: AuthSettings | undefined;
}

export interface OpenTransport {
  readonly transport: Transport;
  /** The process id of a local server. */
  readonly pid: number | undefined;
  /**
   * Fires when the transport starts or stops waiting for the user, for example for sign-in. Timeouts do not count that
   * time.
   */
  readonly onWaiting?: Event<boolean> | undefined;
}

export interface Connector {
  /** Opens a connection. Rejects with a `HostError` that suggests the next step. */
  open(connection: Connection, context: ConnectContext): Promise<OpenTransport>;
  /** Passes the list of secrets to redact. Connections add their own secrets, such as tokens. */
  keepSecrets?(secrets: SecretList): void;
}

export interface ConnectContext {
  readonly serverId: string;
  readonly token: CancellationToken;
  /** Lines of stderr, invalid output on stdout, and other remarks, for the server's log channel. */
  readonly log: Logger;
  /** Removes the connection's secrets from a text, before it is truncated for the log. */
  readonly redact: (text: string) => string;
  /**
   * Calls the listener after `initialize` with the revision, which some transports must name in every message. Never
   * called on a stateless connection, whose messages name their revision.
   */
  readonly negotiated?: (listener: (protocolVersion: string) => void) => Disposable;
}

/** Data that survives a restart. A write is stored when its promise resolves. */
export interface Storage {
  readonly consents: ConsentStore;
  readonly verdicts: VerdictStore;
  readonly events: EventStore;
  readonly grants: GrantStore;
  /** Grants for all workspaces: the definitions of tools that models may call without a prompt. */
  readonly trust: GrantStore;
  readonly audit: AuditStore;
  readonly states: StateStore;
  close(): Promise<void>;
}

/** The detected protocol of a server, so that not every start has to probe. */
export interface EraVerdict {
  /** Fingerprint of the connection, as for consents: another program may speak another protocol. */
  readonly fingerprint: string;
  readonly era: Era;
  /** Whether MCPL was announced. Such a server is opened with `initialize` and never probed. */
  readonly mcpl: boolean;
  readonly at: number;
}

export interface VerdictStore {
  find(fingerprint: string): Promise<EraVerdict | undefined>;
  /** Replaces the earlier verdict for the fingerprint. */
  save(verdict: EraVerdict): Promise<void>;
  forget(fingerprint: string): Promise<void>;
}

/** Events of servers. The server and its own id identify an event. */
export interface EventStore {
  /** Stores an event together with its audit record, or reports that it is already stored. */
  admit(event: InboundEvent, record: AuditRecord): Promise<Admission>;
  /** Newest first. */
  list(limit: number): Promise<readonly InboundEvent[]>;
  change(id: string, change: EventChange): Promise<void>;
  markRead(ids: readonly string[]): Promise<void>;
  /** Clears the events of one server, or all. */
  clear(server: string | undefined): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes the oldest events beyond this number. */
  trim(keep: number): Promise<void>;
}

export type Admission =
  { readonly kind: 'kept' } | { readonly kind: 'known'; readonly inferenceId: string | undefined };

export interface EventChange {
  readonly inferenceId?: string | undefined;
  readonly outcome: EventOutcome;
}

export interface GrantStore {
  /** Grants of one kind, or all. Oldest first. */
  list(kind?: Grant['kind']): Promise<readonly Grant[]>;
  /** The stored grant now: another window may have changed or revoked it. */
  find(id: string): Promise<Grant | undefined>;
  /** Replaces a grant of the same id. */
  save(grant: Grant): Promise<void>;
  revoke(ids: readonly string[]): Promise<void>;
}

/** Append-only. */
export interface AuditStore {
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** A server's use of models since then. */
  used(server: string, since: number): Promise<readonly ModelUse[]>;
  /** The use of models since then, by server, operation and model. */
  totals(since: number): Promise<readonly AuditTotal[]>;
  /** Removes older records. */
  trim(before: number): Promise<void>;
}

/**
 * The lineages of all feature sets with state (MCPL §8). The core sees states as text. The store parses, patches and
 * writes them, so that a large one does not block the host.
 */
export interface StateStore {
  /** The state to send with the next call of a set. */
  base(key: LineageKey, conversation: string | undefined, keeper: StateKeeper | 'either'): Promise<StateBase>;
  /** Stores a checkpoint, or returns why it has no state. Never changes earlier checkpoints. */
  record(update: StateUpdate): Promise<StateRecord>;
  /** Makes a checkpoint the head and unblocks the lineage, or records that the move was refused. */
  move(move: HeadMove, conversation: string | undefined): Promise<void>;
  /** The server no longer has the checkpoint. */
  markPruned(rowId: number): Promise<void>;
  annotate(rowId: number, change: Annotation): Promise<void>;
  lineages(): Promise<readonly LineageSummary[]>;
  window(query: LineageQuery): Promise<LineageWindow>;
  checkpoint(rowId: number): Promise<CheckpointDetail | undefined>;
  /** All checkpoints of a server with this name, in any set. Newest first. */
  find(server: string, checkpoint: string): Promise<readonly (Checkpoint & LineageKey)[]>;
  path(target: number): Promise<LineagePath | undefined>;
  /** The state at a checkpoint, as text. Absent if it cannot be computed. */
  state(rowId: number, form: 'compact' | 'pretty'): Promise<string | undefined>;
  /** Deletes checkpoints beyond the limits, except for heads, pinned ones, and those they are based on. */
  trim(limits: StateLimits, now: number): Promise<void>;
  /** Writes a lineage to a file. Resolves with the number of its checkpoints. */
  exportTo(key: LineageKey, file: string): Promise<number>;
  /** Imports such a file completely, or not at all. */
  importFrom(key: LineageKey, file: string): Promise<StateImport>;
  /** Deletes a lineage with all its states. */
  forget(key: LineageKey): Promise<void>;
  /** Changes after any write, by whichever window. */
  version(): Promise<number>;
}

export interface StateBase {
  readonly keeper: StateKeeper;
  readonly head: Checkpoint | undefined;
  /** The state at the head, if the host keeps it. Absent before the first state. */
  readonly state: string | undefined;
  /**
   * The call must not be sent: the state of this checkpoint could not be computed (docs/decisions/state-contents.md).
   */
  readonly blocked: Checkpoint | undefined;
}

export interface NewStateBody {
  readonly kind: 'data' | 'patch';
  readonly text: string;
  /** The text is as received, possibly with line breaks and duplicate names. The store normalizes it. */
  readonly isAsItCame?: boolean | undefined;
}

export interface StateUpdate extends LineageKey {
  readonly conversation: string | undefined;
  /** `either`: the host keeps the state once one arrives (since MCPL 0.4.1 the server decides per response). */
  readonly keeper: StateKeeper | 'either';
  readonly checkpoint: string;
  /** `null`: the server declares a root. Absent: the server does not say. */
  readonly parent: string | null | undefined;
  /** The head when the request was sent. */
  readonly base: number | undefined;
  /** `rollback`: the result of a rollback to `base`. */
  readonly cause: 'call' | 'update' | 'rollback';
  /** Well-formed JSON, nested no deeper than `STATE_BOUNDS.depth`. */
  readonly body: NewStateBody | undefined;
  readonly at: number;
  readonly tool: string | undefined;
  readonly args: string | undefined;
}

export interface StateRecord {
  readonly kind: 'kept' | 'known' | 'broken';
  readonly node: Checkpoint;
  /** Characters stored for it: its patch or data, and the complete state if that was stored too. */
  readonly written: number;
  /** Notes for readers of the server's log, a sentence each. */
  readonly remarks: readonly string[];
}

export interface Annotation {
  /** Empty: removes the name. */
  readonly name?: string | undefined;
  readonly isPinned?: boolean | undefined;
}

export interface StateLimits {
  /** Maximum checkpoints of one lineage. */
  readonly count: number;
  readonly ageMs: number;
  /** Maximum characters of all lineages together. */
  readonly characters: number;
}

export interface StateImport {
  readonly added: number;
  /** Number of checkpoints that already existed. */
  readonly known: number;
}

/** One use of a model for a server. */
export interface ModelUse {
  readonly at: number;
  readonly tokens: number;
}

/** The user allowed a server, in exactly this form, to start in this workspace. */
export interface Consent {
  readonly server: string;
  readonly fingerprint: string;
  /** Grants of the workspace's settings beyond the defaults that the user allowed. */
  readonly grants: StartGrants;
  readonly at: number;
}

export interface StartGrants {
  /** Tools that models may call without a prompt, sorted. */
  readonly autoApprove: readonly string[];
  /** Other grants, a line each as `grantLine` writes it, sorted. Absent in data of earlier versions. */
  readonly others?: readonly string[] | undefined;
}

export interface ConsentStore {
  find(server: string, fingerprint: string): Promise<Consent | undefined>;
  save(consent: Consent): Promise<void>;
  list(): Promise<readonly Consent[]>;
  /** Forgets every consent of one server. */
  forget(server: string): Promise<void>;
}

/** Asks the user once whether a server of the workspace or of an extension may start. */
export interface ConsentPrompt {
  ask(question: StartQuestion, token: CancellationToken): Promise<StartAnswer>;
  /** Asks whether the workspace may weaken the user's own settings. Without this method it may not. */
  askToWeaken?(question: WeakeningQuestion, token: CancellationToken): Promise<WeakeningAnswer>;
}

export interface WeakeningQuestion {
  /** Absent for settings of the whole window. */
  readonly server: string | undefined;
  readonly weakenings: readonly Weakening[];
}

/** `keep` is remembered, like `allow`. After a dismissal the next window asks again. */
export type WeakeningAnswer = 'allow' | 'keep' | 'dismissed';

export interface StartQuestion {
  readonly server: string;
  /** `workspaceFiles`: the workspace does not define the server, but its files would become part of it. */
  readonly reason: 'first' | 'changed' | 'widened' | 'workspaceFiles';
  readonly kind: 'command' | 'url';
  /** The whole command line, or the URL. It contains no text that would close double quotes around it. */
  readonly target: string;
  readonly cwd: string | undefined;
  /**
   * The grants of the start beyond the defaults, and the origins of its parts. One complete sentence each, most
   * dangerous first. Text from settings is in double quotes.
   */
  readonly remarks: readonly string[];
  /** The extension that contributes the server. Absent if the workspace defines it. */
  readonly contributor?: Contributor | undefined;
}

/** A dismissed prompt grants nothing. */
export type StartAnswer = 'start' | 'dontStart' | 'openSettings' | 'dismissed';
