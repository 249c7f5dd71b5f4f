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
}

/** A server's hints on a tool (MCP 2025-03-26, "Tool annotations"): untrusted, absent means the cautious value. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

export interface Tool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  readonly hints: ToolHints;
  /** The definition as it came, for whoever passes it on. */
  readonly raw: JsonObject;
}
