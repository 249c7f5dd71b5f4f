import type { JsonObject } from '../base/json.ts';

/** The levels of MCP "Logging" (those of syslog), from the least to the most severe. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevelName = (typeof LOG_LEVELS)[number];

/** What a server says about itself. All of it is a claim, shown as plain text and never used to decide a right. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string | undefined;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

/** A picture that a server offers for itself or for what it has; its `src` is always `https:` or `data:image/…`. */
export interface Icon {
  readonly src: string;
  readonly mimeType: string | undefined;
  /** `48x48`, or `any` for what scales; empty where the server does not say. */
  readonly sizes: readonly string[];
  /** The background that it is drawn for; absent means any. */
  readonly theme: 'light' | 'dark' | undefined;
}

/** A server's hints on a tool (MCP 2025-03-26, "Tool annotations"): untrusted, absent means the cautious value. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** Whether a tool is run as a task of MCP 2025-11-25; `required` tools are refused when called otherwise. */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** An argument that a stateless HTTP request repeats as `Mcp-Param-<header>` (MCP 2026-07-28). */
export interface HeaderParam {
  /** Its path in the arguments, member by member. */
  readonly path: readonly string[];
  /** The name without its prefix. */
  readonly header: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  /** What `structuredContent` of its results is said to be like. */
  readonly outputSchema: JsonObject | undefined;
  readonly icons: readonly Icon[];
  readonly taskSupport: TaskSupport;
  readonly headerParams: readonly HeaderParam[];
  readonly hints: ToolHints;
  /** The definition as it came, for whoever passes it on. */
  readonly raw: JsonObject;
}

/** A server's hints on a resource, or on a piece of content. */
export interface Annotations {
  readonly audience: readonly ('user' | 'assistant')[];
  /** From 0 (least) to 1 (most). */
  readonly priority: number | undefined;
  readonly lastModified: string | undefined;
}

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly mimeType: string | undefined;
  /** Bytes before any encoding, as the server says. */
  readonly size: number | undefined;
  readonly annotations: Annotations;
  readonly icons: readonly Icon[];
  readonly raw: JsonObject;
}

export interface ResourceTemplate {
  /** RFC 6570; see `parseUriTemplate`. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly mimeType: string | undefined;
  readonly annotations: Annotations;
  readonly icons: readonly Icon[];
  readonly raw: JsonObject;
}

export interface PromptArgument {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly required: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly arguments: readonly PromptArgument[];
  readonly icons: readonly Icon[];
  readonly raw: JsonObject;
}

/** How long an answer stays good (MCP 2026-07-28 "Caching"). */
export interface Freshness {
  /** Milliseconds; 0 means that it is stale at once. */
  readonly ttlMs: number;
  /** `private`: never to be shown to another user or under another token. */
  readonly scope: 'public' | 'private';
}
