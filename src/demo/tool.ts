import type { CallScope } from './callScope.ts';
import type { Fields, Schema } from './schema.ts';

/** What a tool may do while it works. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly progress: (progress: number, total: number | undefined, message: string) => void;
  /** What the host says that this call may touch. */
  readonly scope?: CallScope | undefined;
  /** What the host keeps for the tool's feature set (MCPL §8.4); absent while it keeps nothing. */
  readonly state?: unknown;
  /** What the host says that the call builds on, where this server keeps the state (MCPL §8.7). */
  readonly checkpoint?: unknown;
}

export interface ToolOutcome {
  readonly text: string;
  readonly structured?: Fields;
  readonly isError?: boolean;
  /** The checkpoint that the call led to (MCPL §8.2); absent where it changed nothing. */
  readonly state?: CheckpointState;
}

/** MCPL §8.2 and §8.3. */
export interface CheckpointState {
  readonly checkpoint: string;
  readonly parent: string | null;
  readonly data?: Fields;
  readonly patch?: readonly Fields[];
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
  readonly openWorldHint: boolean;
}

export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };
export const ADDS: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
