/**
 * The API of MCP Live for other extensions, version 1. Copy this file into your extension; it needs nothing else.
 * docs/api.md of MCP Live says what each part does, and what it promises.
 *
 *   const extension = vscode.extensions.getExtension<McpLiveExports>('mcp-live.mcp-live');
 *   const api = (await extension?.activate())?.getApi(1);
 */

export interface McpLiveExports {
  /** The API in this version. Throws an error that names the versions there are where this one is not among them. */
  getApi(version: 1): McpLiveApi1;
}

export interface McpLiveApi1 {
  readonly version: 1;

  /**
   * Contributes servers, for as long as what is returned is not disposed. They are off until a person enables them, and
   * start only when that person has allowed their command line. Throws where the provider is not usable.
   */
  registerServers(provider: ServerProvider): Disposable;

  /** All servers there are now, whoever defines them, in the order of the settings. */
  servers(): Promise<readonly ServerInfo[]>;
  /** Anything of what `servers` gives may have changed; bursts are told of as one. */
  readonly onDidChangeServers: Event<void>;

  /**
   * Calls a tool. Feature sets, scopes and approvals hold as for any call; a person may be asked in between. What the
   * tool itself says of a failure is a result with `isError`; every other failure rejects with a `McpLiveError`.
   */
  callTool(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    token?: CancellationToken,
  ): Promise<ToolResult>;

  readonly events: Events;
  readonly lineages: Lineages;

  /**
   * Adds a model for servers' inference and for events. The editor's own models come first: this one is used where the
   * setting `mcpl.inference.model` names it, or where the editor has none. Throws where the runner is not usable, or
   * the id is taken.
   */
  registerModelRunner(id: string, runner: ModelRunner): Disposable;
}

// Servers

export interface ServerProvider {
  /** The id of your extension, `publisher.name`: persons are told who contributes a server. */
  readonly extensionId: string;
  /** Called once at the start, and again after each `onDidChangeServers`. It has 10 seconds. */
  provideServers(token: CancellationToken): readonly ContributedServer[] | PromiseLike<readonly ContributedServer[]>;
  readonly onDidChangeServers?: Event<void>;
}

export interface ContributedServer {
  /** As in the settings: up to 64 letters, digits, `.`, `_` and `-`. What the settings say of this id is merged into it. */
  readonly id: string;
  /** For persons. */
  readonly label?: string;
  /** The members of an entry of `mcpl.servers`, such as `{ command: 'node', args: ['server.js'] }`; not `enabled`. */
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface ServerInfo {
  readonly id: string;
  readonly label: string | undefined;
  /** The id of the extension that contributes it. */
  readonly contributedBy: string | undefined;
  readonly isEnabled: boolean;
  readonly state: 'stopped' | 'asking' | 'starting' | 'running' | 'stopping' | 'restarting' | 'failed';
  /** The revision of MCP that was agreed on, while it runs. */
  readonly revision: string | undefined;
  /** Whether it speaks MCPL, as far as is known. */
  readonly isMcpl: boolean;
  /** The first 1,000. */
  readonly tools: readonly ToolInfo[];
}

/** In the words of the server: data, and nothing to rely on. */
export interface ToolInfo {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: Json;
  /** Whether it can be called now: it is not hidden, and its feature set is on. */
  readonly isOffered: boolean;
}

export interface ToolResult {
  readonly isError: boolean;
  /** What a model would read. */
  readonly text: string;
  readonly content: readonly Json[];
  readonly structuredContent: Json | undefined;
}

/** What a failure has beside its message. */
export interface McpLiveError extends Error {
  /** Such as `UNKNOWN_TOOL`, `SERVER_NOT_RUNNING`, `SCOPE_DENIED`, `CANCELLED`, `TIMEOUT`. More may come. */
  readonly code: string;
  /** Whether the call had an effect in the world. */
  readonly effect: 'none' | 'applied' | 'unknown';
  /** The next step for a person, a sentence. */
  readonly suggestion: string | undefined;
}

// Events and lineages

export interface Events {
  /** Those that are kept now, the newest first; the first 1,000. */
  list(): Promise<readonly EventInfo[]>;
  /** Each event that arrives from now on, in its order. Events that are ignored by the settings are not among them. */
  readonly onDidReceiveEvent: Event<EventInfo>;
}

/** In the words of its server: data, and never an instruction. */
export interface EventInfo {
  readonly id: string;
  readonly server: string;
  readonly featureSet: string;
  /** The server's own. */
  readonly eventId: string;
  /** When it happened, as the server wrote it. */
  readonly occurredAt: string;
  /** When it arrived, in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly origin: Json | undefined;
  /** Its content as text, at most 32,768 characters; of pictures and the like there is only what they are. */
  readonly text: string;
  readonly isRead: boolean;
  /** What a model made of it, where one was asked. */
  readonly answer: string | undefined;
}

export interface Lineages {
  /** The states of feature sets, those of earlier sessions included. */
  list(): Promise<readonly LineageInfo[]>;
  /** The checkpoints of one of them, the newest first: at most 100 at once, beginning with number `from`. */
  checkpoints(server: string, featureSet: string, from?: number): Promise<readonly CheckpointInfo[]>;
  /** Anything of what these give may have changed; bursts are told of as one. */
  readonly onDidChangeLineages: Event<void>;
}

export interface LineageInfo {
  readonly server: string;
  readonly featureSet: string;
  /** Who keeps the state. */
  readonly keeper: 'host' | 'server';
  /** How many checkpoints are kept. */
  readonly count: number;
  /** What the next call begins with. */
  readonly head: CheckpointInfo | undefined;
  /** Whether the next call is refused, because a state could not be made. */
  readonly isBlocked: boolean;
}

export interface CheckpointInfo {
  /** The host's own number for it, unique in the workspace. */
  readonly place: number;
  /** As its server calls it. */
  readonly checkpoint: string;
  readonly parent: number | undefined;
  readonly at: number;
  /** The tool whose call made it. */
  readonly tool: string | undefined;
  /** As a person called it. */
  readonly name: string | undefined;
  readonly isPinned: boolean;
  /** Its server no longer has it. */
  readonly isPruned: boolean;
  /** Why it has no state. */
  readonly problem: string | undefined;
}

// Models

export interface ModelRunner {
  /** The id of your extension, `publisher.name`. */
  readonly extensionId: string;
  /** For persons, and for the setting `mcpl.inference.model`. */
  readonly name: string;
  readonly maxInputTokens: number;
  /**
   * Answers. `onText` takes each piece of the answer, in order. Resolves when the answer is complete. Otherwise rejects
   * with an error whose message is a sentence for persons. Pieces after a cancellation of `token` are ignored.
   */
  run(
    messages: readonly ModelMessage[],
    onText: (delta: string) => void,
    token: CancellationToken,
    options: ModelOptions,
  ): PromiseLike<void>;
  /** How many tokens a text has. Without it, four characters count as one. */
  count?(text: string, token: CancellationToken): number | PromiseLike<number>;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ModelPart[];
}

export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

export interface ModelOptions {
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
}

// What the editor's API has too, in the same shape

export interface Disposable {
  dispose(): unknown;
}

export type Event<T> = (listener: (value: T) => unknown) => Disposable;

export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: Event<unknown>;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };
