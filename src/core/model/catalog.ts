import type { JsonObject } from '../base/json.ts';

/** The levels of MCP "Logging" (syslog levels), least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevelName = (typeof LOG_LEVELS)[number];

/** A server's own information. It is untrusted: shown as plain text, and never used for access decisions. */
export interface ServerInfo {
  readonly name: string;
  readonly title: string | undefined;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

/** An image that a server offers for itself or its items. `src` is always `https:` or `data:image/…`. */
export interface Icon {
  readonly src: string;
  readonly mimeType: string | undefined;
  /** `48x48`, or `any` for scalable images. Empty if not stated. */
  readonly sizes: readonly string[];
  /** The background that it is made for. `undefined` means any. */
  readonly theme: 'light' | 'dark' | undefined;
}

/**
 * A server's hints on a tool (MCP 2025-03-26, "Tool annotations"). They are untrusted; absent hints get the cautious
 * value.
 */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** Whether a tool runs as a task (MCP 2025-11-25). Servers refuse calls of `required` tools without a task. */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** An argument that a stateless HTTP request repeats as `Mcp-Param-<header>` (MCP 2026-07-28). */
export interface HeaderParam {
  /** Member names of its path in the arguments. */
  readonly path: readonly string[];
  /** The header name without its prefix. */
  readonly header: string;
}

export interface Tool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  /** Declared schema of `structuredContent` in results. */
  readonly outputSchema: JsonObject | undefined;
  readonly icons: readonly Icon[];
  readonly taskSupport: TaskSupport;
  readonly headerParams: readonly HeaderParam[];
  readonly hints: ToolHints;
  /** The unchanged definition, for forwarding. */
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
  /** Size in bytes before encoding, as the server states it. */
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

/** How long an answer stays valid (MCP 2026-07-28 "Caching"). */
export interface Freshness {
  /** In milliseconds. 0 means stale at once. */
  readonly ttlMs: number;
  /** `private`: must not be shared with other users or tokens. */
  readonly scope: 'public' | 'private';
}
