import type { CallScope } from './callScope.ts';
import { type Fields, isFields, problemsOf, type Schema, withDefaults } from './schema.ts';

/** What a running tool can use. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly progress: (progress: number, total: number | undefined, message: string) => void;
  /** The scope that the host grants to this call. */
  readonly scope?: CallScope | undefined;
  /** The state that the host keeps for the tool's feature set (MCPL §8.4). Absent before the first state. */
  readonly state?: unknown;
  /** The checkpoint that the call builds on if this server keeps the state (MCPL §8.7). */
  readonly checkpoint?: unknown;
}

export interface ToolOutcome {
  readonly text: string;
  readonly structured?: Fields;
  readonly isError?: boolean;
  /** The checkpoint after the call (MCPL §8.2). Absent if nothing changed. */
  readonly state?: CheckpointState;
}

/** MCPL §8.2 and §8.3. */
export interface CheckpointState {
  readonly checkpoint: string;
  readonly parent: string | null;
  readonly data?: Fields;
  readonly patch?: readonly Fields[];
}

interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The feature set of the tool (MCPL §6). */
  readonly featureSet: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
  readonly annotations: Annotations;
}

export interface DemoTool extends ToolDefinition {
  /** `args` match the input schema, with defaults filled in. */
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

/** Invalid arguments give a tool error instead of a protocol error, so that the model can correct them. */
export async function callTool(tool: DemoTool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
  const given = args ?? {};
  const problems = problemsOf(given, tool.inputSchema, isFields(given) ? '' : 'arguments');
  if (problems.length > 0 || !isFields(given)) return { text: problems.join('\n'), isError: true };
  return tool.run(withDefaults(given, tool.inputSchema), context);
}
