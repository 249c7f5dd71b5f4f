import type { HostError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { AuthSettings } from './auth.ts';
import type { EditorPolicy } from './serverPolicy.ts';
import type { McplSettings, McplSnapshot, McplVersion } from './mcpl.ts';
import type { ScopeSettings } from './scope.ts';
import type { Prompt, Resource, ResourceTemplate, ServerInfo, Tool } from './catalog.ts';

export type SettingsScope = 'extension' | 'user' | 'workspace' | 'folder';

/** Another extension that contributes servers, for display. */
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
  /** Display names of its servers, by id. */
  readonly labels: Readonly<Record<string, string>>;
  /** Why servers are missing; a sentence each. */
  readonly problems: readonly string[];
}

export interface HostSettings {
  readonly layers: readonly SettingsLayer[];
  /** False in Restricted Mode, where nothing starts. */
  readonly trusted: boolean;
  /** Settings for all servers. Absent members have defaults. */
  readonly limits?: Partial<HostLimits> | undefined;
  /** The same from user settings alone. Absent without a workspace. */
  readonly ownLimits?: Partial<HostLimits> | undefined;
  /** Absent outside an editor, where every server is allowed. */
  readonly editorPolicy?: EditorPolicy | undefined;
}

/** Settings for all servers together. */
export interface HostLimits {
  /** `mcpl.push.maxPerMinute`, per server. */
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
  /** `mcpl.state.maxCount`: checkpoints per feature set. */
  readonly maxCheckpoints: number;
  /** `mcpl.state.maxAgeDays` */
  readonly stateDays: number;
  /** `mcpl.state.maxMegabytes`: all states together. */
  readonly stateMegabytes: number;
}

/** Upper bounds, above any useful value. */
export const MAX_LIMITS = {
  pushPerMinute: 100_000,
  maxEvents: 10_000,
  auditDays: 3_650,
  approvalSeconds: 3_600,
  maxCheckpoints: 1_000_000,
  stateDays: 36_500,
  stateMegabytes: 100_000,
} as const;

/** Lower bounds, below any useful value. */
export const MIN_LIMITS = {
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

export const DEFAULT_TIMEOUTS: Timeouts = { start: 60, list: 30, call: 60, callMax: 3600 };

/** API callers may omit a member or pass undefined. */
export function limitsOf(given: Partial<HostLimits> = {}): HostLimits {
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

/** A problem of the settings, with the path of the member: `["files", "args", 0]`. */
export interface SettingsProblem {
  readonly path: readonly (string | number)[];
  readonly scope: SettingsScope;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The key at `path` is wrong, not its value. */
  readonly at?: 'key' | undefined;
  /** The extension, if it contributed the faulty setting. */
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

/** Transport for a server with a URL. `auto` detects it. */
export type RemoteTransport = 'auto' | 'http' | 'sse' | 'websocket';

/** How an MCP connection starts: with `initialize`, or without a handshake (MCP 2026-07-28). */
export type Era = 'legacy' | 'modern';

/** Facts about an open connection that the server did not announce. */
export interface ConnectionFacts {
  readonly era: Era;
  /** Whether the server uses the short dialect. */
  readonly isDialect: boolean;
  /** Duration of the first request. */
  readonly roundTripMs: number;
  readonly transport: 'stdio' | 'http' | 'sse' | 'websocket';
  /** The server's session id, if the transport has one. */
  readonly session: string | undefined;
}

/** The protocol that a server is expected to speak. */
export interface ProtocolSettings {
  readonly era: 'auto' | Era;
  /** The short dialect: detected, never, or always. */
  readonly dialect: 'auto' | 'off' | 'force';
  /** A version pins it, whatever the server claims. */
  readonly mcpl: 'auto' | 'off' | McplVersion;
}

export interface Timeouts {
  /** Seconds for the handshake. */
  readonly start: number;
  /** Seconds for one list request. */
  readonly list: number;
  /** Seconds for a tool call without progress. */
  readonly call: number;
  /** Seconds for a tool call, even with progress. */
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
  /** Whether arguments are validated against the tool's schema before sending. */
  readonly validatesArguments: boolean;
  /** Whether an idle server is pinged. */
  readonly checksHealth: boolean;
  readonly timeouts: Timeouts;
  readonly restart: 'onCrash' | 'never';
  /**
   * `workspace`: a part of the connection comes from the workspace, or is read from a file in it. `extension`: no part
   * does, and another extension contributes one.
   */
  readonly definedBy: 'user' | 'workspace' | 'extension';
  /** The extension that contributes all or part of it. */
  readonly contributor?: Contributor | undefined;
  /** Auto-approved tools in workspace settings, or of a server that the workspace defines. */
  readonly workspaceAutoApprove: readonly string[];
  /** User environment variables and headers that a server from the workspace gets. */
  readonly lentByUser: readonly string[];
  readonly mcpl: McplSettings;
  /** Workspace settings about MCPL beyond the defaults, in the format of `StartGrants.others`. */
  readonly workspaceGrants: readonly string[];
}

/** Why a server is not running. */
export type StopReason = 'notStarted' | 'byUser' | 'notApproved' | Bar;

/** Reasons that the user cannot override: Restricted Mode, or an organization's policy. */
export type Bar = 'restrictedMode' | 'notAllowed';

/** The lifecycle state of a server. */
export type ServerState =
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** Waits for the user's consent or input. */
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
  /** Crashed. Restarts at `at`. */
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

/** Why a running server does not respond. */
export type ServerHealth =
  | { readonly kind: 'notResponding' }
  /** A tool call has been running for this long. */
  | { readonly kind: 'busy'; readonly minutes: number };

/** A tool with its settings. */
export interface OfferedTool {
  readonly tool: Tool;
  /** Whether models see it and may call it. */
  readonly offered: boolean;
  /** Whether models may call it without a prompt. */
  readonly autoApproved: boolean;
  /** Auto-approval is suspended, because the definition differs from the approved one. */
  readonly change?: ToolChange | undefined;
  /** Its feature set, if that is off. Calls are then refused. */
  readonly setOff?: string | undefined;
  /** The sets that must all be on, if one is off and the tool could belong to several. */
  readonly needs?: readonly string[] | undefined;
  /** `setOff` is on, but does not declare that it uses tools. */
  readonly lacksUse?: true | undefined;
  /** Only for the server's own apps, never offered to models. */
  readonly forApps?: true | undefined;
  /** Why its arguments are not validated despite the setting. */
  readonly remark?: string | undefined;
}

/** A definition that differs from the approved one. */
export interface ToolChange {
  /** Digest of the definition, so that an answer applies to this one only. */
  readonly form: string;
  /** The approved definition as text. Absent if it was too long. */
  readonly before: string | undefined;
  readonly now: string;
  /** It changed at so many consecutive starts that the user may approve any definition. */
  readonly isFrequent: boolean;
  /** The user chose a prompt before each call. */
  readonly isDeclined: boolean;
}

/** The user's answer to a changed definition. */
export type DefinitionAnswer = 'approve' | 'approveAny' | 'keepAsking';

/** A definition that the user saw. */
export interface SeenDefinition {
  readonly tool: string;
  /** Its digest, as in `ToolChange.form`. */
  readonly form: string;
}

/** Whether a list is up to date. The old list is kept while it is read again, or if that fails. */
export type Listing =
  { readonly kind: 'unread' } | { readonly kind: 'read' } | { readonly kind: 'failed'; readonly error: HostError };

/** The part of a server that changed. */
export type ServerAspect = 'settings' | 'state' | 'mcpl' | 'tools' | 'resources' | 'prompts';

/** A snapshot of one server. */
export interface ServerSnapshot {
  readonly id: string;
  readonly definedBy: ServerDefinition['definedBy'];
  /** The extension that contributes it, even if its entry has an error. */
  readonly contributor?: Contributor | undefined;
  /** The extension's display name for it. */
  readonly label?: string | undefined;
  readonly enabled: boolean;
  readonly state: ServerState;
  /** Empty before the first list arrives. Kept while the server restarts. */
  readonly tools: readonly OfferedTool[];
  readonly listing: Listing;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Status of the other lists. */
  readonly listings: { readonly resources: Listing; readonly prompts: Listing };
  readonly problems: readonly SettingsProblem[];
  /** Absent if the entry has an error. */
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
