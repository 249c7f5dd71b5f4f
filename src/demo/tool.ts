import type { CallScope } from './callScope.ts';
import type { Fields, Schema } from './schema.ts';

/** What a tool may do while it works. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly progress: (progress: number, total: number | undefined, message: string) => void;
  /** What the host says that this call may touch. */
  readonly scope?: CallScope | undefined;
}

export interface ToolOutcome {
  readonly text: string;
  readonly structured?: Fields;
  readonly isError?: boolean;
}

export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The feature set that it belongs to (MCPL §6). */
  readonly featureSet: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
  readonly annotations: Annotations;
}

export interface DemoTool extends ToolDefinition {
  /** Called with arguments that fit the input schema, defaults filled in. */
  readonly run: (args: Fields, context: ToolContext) => ToolOutcome | Promise<ToolOutcome>;
}

interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: false;
}

export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };
export const ADDS: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
