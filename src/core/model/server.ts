import type { HostError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { AuthSettings } from './auth.ts';
import type { EditorPolicy } from './editorPolicy.ts';
import type { McplSettings, McplSnapshot } from './mcpl.ts';
import type { ScopeSettings } from './scope.ts';
import type { Prompt, Resource, ResourceTemplate, ServerInfo, Tool } from './catalog.ts';

export type SettingsScope = 'extension' | 'user' | 'workspace' | 'folder';

/** Another extension of the editor that contributes servers, in words for a person. */
export interface Contributor {
  readonly id: string;
  readonly name: string;
}

/** The raw value of `mcpl.servers` in one place. Later layers win, key by key. */
export interface SettingsLayer {
  readonly scope: SettingsScope;
  readonly servers: Json | undefined;
  /** The owner of the layer, if it is not a settings file. */
  readonly contributed?: ContributedLayer | undefined;
}

export interface ContributedLayer {
  readonly by: Contributor;
  /** How it calls its servers, by their ids. */
  readonly labels: Readonly<Record<string, string>>;
  /** Why it has none, or fewer than it has; a sentence each. */
  readonly problems: readonly string[];
}

export interface HostSettings {
  readonly layers: readonly SettingsLayer[];
  /** Restricted Mode: false, and nothing starts. */
  readonly trusted: boolean;
  /** Settings that are not of one server; absent members have their defaults. */
  readonly limits?: Partial<HostLimits> | undefined;
  /** The same by the user's own settings alone; absent without a workspace. */
  readonly ownLimits?: Partial<HostLimits> | undefined;
  /** Absent without an editor: every server is allowed. */
  readonly editorPolicy?: EditorPolicy | undefined;
}

/** What holds for all servers together. */
export interface HostLimits {
  /** `mcpl.push.maxPerMinute`: of each server. */
  readonly pushPerMinute: number;
  /** `mcpl.events.maxCount` */
  readonly maxEvents: number;
  /** `mcpl.audit.retentionDays` */
  readonly auditDays: number;
  /** `mcpl.inference.model` */
  readonly model: string | undefined;
  /** `mcpl.approvals.timeoutSeconds` */
  readonly approvalSeconds: number;
  /** `mcpl.approvals.inChat` */
  readonly asksInChat: boolean;
  /** `mcpl.state.maxCount`: checkpoints of one feature set. */
  readonly maxCheckpoints: number;
  /** `mcpl.state.maxAgeDays` */
  readonly stateDays: number;
  /** `mcpl.state.maxMegabytes`: of all states together. */
  readonly stateMegabytes: number;
}

/** More than any useful value. */
export const MOST_LIMITS = {
  pushPerMinute: 100_000,
  maxEvents: 10_000,
  auditDays: 3_650,
  approvalSeconds: 3_600,
  maxCheckpoints: 1_000_000,
  stateDays: 36_500,
  stateMegabytes: 100_000,
} as const;

/** Less than any useful value. */
export const LEAST_LIMITS = {
  pushPerMinute: 1,
  maxEvents: 1,
  auditDays: 1,
  approvalSeconds: 5,
  maxCheckpoints: 1,
  stateDays: 1,
  stateMegabytes: 1,
} as const;

export const DEFAULT_LIMITS: HostLimits = {
  pushPerMinute: 120,
  maxEvents: 1_000,
  auditDays: 30,
  model: undefined,
  approvalSeconds: 60,
  asksInChat: false,
  maxCheckpoints: 10_000,
  stateDays: 365,
  stateMegabytes: 1_000,
};

/** A program may leave a member out, or give it as undefined. */
export function limitsOf(given: Partial<HostLimits> = {}): HostLimits {
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

/** A problem of the settings, with the path of the member: `["files", "args", 0]`. */
export interface SettingsProblem {
  readonly path: readonly (string | number)[];
  readonly scope: SettingsScope;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Of what an extension contributes: which one. */
  readonly contributor?: Contributor | undefined;
}

/** How to reach a server, as written: variables are not yet expanded. */
export type ConnectionDefinition =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly envFile: string | undefined;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: 'remote';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly transport: RemoteTransport;
      readonly auth?: AuthSettings | undefined;
    };

/** How a server with a URL is spoken to; `auto` finds out. */
export type RemoteTransport = 'auto' | 'http' | 'sse' | 'websocket';

/** The two ways in which a connection of MCP begins: with `initialize`, or not at all (MCP 2026-07-28). */
export type Era = 'legacy' | 'modern';

/** Facts about an open connection, beyond the announcement of the server. */
export interface ConnectionFacts {
  readonly era: Era;
  /** The server speaks the short dialect. */
  readonly isDialect: boolean;
  /** How long it took to answer the first question. */
  readonly roundTripMs: number;
  readonly transport: 'stdio' | 'http' | 'sse' | 'websocket';
  /** The session that the server named, where the transport has one. */
  readonly session: string | undefined;
}

/** What a server is taken to speak. */
export interface ProtocolSettings {
  readonly era: 'auto' | Era;
  /** The short dialect: recognised by its answers, never, or always. */
  readonly dialect: 'auto' | 'off' | 'force';
  readonly mcpl: 'auto' | 'off' | '0.2' | '0.3' | '0.4' | '0.5';
}

export interface Timeouts {
  /** Seconds for the handshake. */
  readonly start: number;
  /** Seconds for one request that lists something. */
  readonly list: number;
  /** Seconds for a tool call without any sign of progress. */
  readonly call: number;
  /** Seconds for a tool call however much it progresses. */
  readonly callMax: number;
}

/** One entry of `mcpl.servers`, merged and checked. */
export interface ServerDefinition {
  readonly id: string;
  readonly enabled: boolean;
  readonly connection: ConnectionDefinition;
  readonly protocol: ProtocolSettings;
  readonly hiddenTools: readonly string[];
  readonly autoApprove: readonly string[];
  /** Whether arguments are checked against the schema of their tool before they are sent. */
  readonly validatesArguments: boolean;
  /** Whether the server is pinged while it is silent. */
  readonly checksHealth: boolean;
  readonly timeouts: Timeouts;
  readonly restart: 'onCrash' | 'never';
  /**
   * `workspace`: any part of the connection comes from there, or is read from a file in it. `extension`: none does, and
   * another extension contributes a part.
   */
  readonly definedBy: 'user' | 'workspace' | 'extension';
  /** The extension that contributes it, or a part of it. */
  readonly contributor?: Contributor | undefined;
  /** Tools that are auto-approved by the workspace's settings, or for a server that the workspace defines. */
  readonly workspaceAutoApprove: readonly string[];
  /** Environment variables and headers that the user's own settings give to a server that the workspace defines. */
  readonly lentByUser: readonly string[];
  readonly mcpl: McplSettings;
  /** What the workspace's settings say of MCPL beyond the defaults; the same shape as `StartGrants.others`. */
  readonly workspaceGrants: readonly string[];
}

/** Why a server that could run does not. */
export type StopReason = 'notStarted' | 'byUser' | 'notApproved' | Bar;

/** What keeps servers from running whatever a person says: no trust, or a policy of the organisation. */
export type Bar = 'restrictedMode' | 'notAllowed';

/** Where a server is in its life. */
export type ServerState =
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** Waits for a person's consent or an input. */
  | { readonly kind: 'asking' }
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'running';
      readonly info: ServerInfo;
      readonly protocolVersion: string;
      readonly connection: ConnectionFacts;
      readonly pid: number | undefined;
      readonly since: number;
    }
  | { readonly kind: 'stopping' }
  /** Crashed and will be started again at `at`. */
  | { readonly kind: 'restarting'; readonly error: HostError; readonly at: number }
  | { readonly kind: 'failed'; readonly error: HostError };

export function isRunning(state: ServerState): state is Extract<ServerState, { kind: 'running' }> {
  return state.kind === 'running';
}

export function canStart(state: ServerState): boolean {
  return state.kind === 'stopped' || state.kind === 'failed' || state.kind === 'restarting';
}

export function canStop(state: ServerState): boolean {
  return (
    state.kind === 'running' || state.kind === 'starting' || state.kind === 'asking' || state.kind === 'restarting'
  );
}

/** Why a running server does not answer. */
export type ServerHealth =
  | { readonly kind: 'notResponding' }
  /** A tool call has been running for so long. */
  | { readonly kind: 'busy'; readonly minutes: number };

/** A tool with what the settings say about it. */
export interface OfferedTool {
  readonly tool: Tool;
  /** Whether models see it and may call it. */
  readonly offered: boolean;
  /** Whether models may call it without being asked. */
  readonly autoApproved: boolean;
  /** It would be auto-approved, but its definition is not the one that was approved. */
  readonly change?: ToolChange | undefined;
  /** A feature set of it that is off: no call is allowed then. */
  readonly setOff?: string | undefined;
  /** All feature sets that must be on, where a set is off and the tool names none of several. */
  readonly needs?: readonly string[] | undefined;
  /** `setOff` is on, but does not declare that it uses tools. */
  readonly lacksUse?: true | undefined;
  /** It is for the server's own apps only: models are never offered it. */
  readonly forApps?: true | undefined;
  /** Why its arguments are not checked, although they should be. */
  readonly remark?: string | undefined;
}

/** A definition that differs from the approved one. */
export interface ToolChange {
  /** The digest of the definition, for an answer to exactly this one. */
  readonly form: string;
  /** The approved definition as text; absent if it was too long to keep. */
  readonly before: string | undefined;
  readonly now: string;
  /** It changed at so many starts in a row that a person may approve any definition. */
  readonly isFrequent: boolean;
  /** A person chose to be asked before each call. */
  readonly isDeclined: boolean;
}

/** How a person answers a changed definition. */
export type DefinitionAnswer = 'approve' | 'approveAny' | 'keepAsking';

/** A definition that a person saw. */
export interface SeenDefinition {
  readonly tool: string;
  /** Its digest, as in `ToolChange.form`. */
  readonly form: string;
}

/** Whether a list is what the server has: it is kept as it was while it is read, and when it cannot be read. */
export type Listing =
  { readonly kind: 'unread' } | { readonly kind: 'read' } | { readonly kind: 'failed'; readonly error: HostError };

/** The part of a server that changed. */
export type UnitChange = 'settings' | 'state' | 'mcpl' | 'tools' | 'resources' | 'prompts';

/** All that is known of one server at one moment. */
export interface ServerSnapshot {
  readonly id: string;
  readonly definedBy: ServerDefinition['definedBy'];
  /** The extension that contributes it, also where its entry has an error. */
  readonly contributor?: Contributor | undefined;
  /** How that extension calls it. */
  readonly label?: string | undefined;
  readonly enabled: boolean;
  readonly state: ServerState;
  /** Empty until the first list has arrived; kept while the server restarts. */
  readonly tools: readonly OfferedTool[];
  readonly listing: Listing;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Of the lists beside the tools. */
  readonly listings: { readonly resources: Listing; readonly prompts: Listing };
  readonly problems: readonly SettingsProblem[];
  /** Absent where the entry has an error. */
  readonly definition: ServerDefinition | undefined;
  /** What the server declared in its handshake. */
  readonly capabilities: JsonObject;
  /** Absent for a plain MCP server. */
  readonly mcpl: McplSnapshot | undefined;
  /** Absent while the server responds, and without a health check. */
  readonly health?: ServerHealth | undefined;
  /** The scopes in effect: those of the workspace only if they were allowed. */
  readonly scopes: ScopeSettings;
}
