import type { Json, JsonObject } from '../base/json.ts';
import type { ContentBlock, Role } from './content.ts';

/** A form that a server asks the user to fill in: a flat object of texts, numbers, flags and choices. */
export interface FormElicitation {
  readonly kind: 'form';
  readonly message: string;
  /** An object schema, suitable for `schemaForm`. */
  readonly schema: JsonObject;
  /** The task that the request belongs to. */
  readonly relatedTask: string | undefined;
  readonly raw: JsonObject;
}

/** A page that a server asks the user to visit. Nothing is fetched before the user agrees. */
export interface UrlElicitation {
  readonly kind: 'url';
  readonly message: string;
  /** The unchanged URL, to be displayed in full. Always absolute, with `https:` or `http:`. */
  readonly url: string;
  /** The id in `notifications/elicitation/complete`. Absent since MCP 2026-07-28. */
  readonly elicitationId: string | undefined;
  readonly relatedTask: string | undefined;
  readonly raw: JsonObject;
}

export type Elicitation = FormElicitation | UrlElicitation;

/** A piece of a message to or from a model. */
export type SamplingContent =
  | ContentBlock
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: 'tool_result';
      readonly toolUseId: string;
      readonly content: readonly ContentBlock[];
      readonly structured: Json | undefined;
      readonly isError: boolean;
    };

export interface SamplingMessage {
  readonly role: Role;
  readonly content: readonly SamplingContent[];
}

/** A tool that the model may call. The server runs it. */
export interface SamplingTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
}

export interface ModelPreferences {
  /** Model names or parts of them, in order of preference. */
  readonly hints: readonly string[];
  /** From 0 to 1. */
  readonly cost: number | undefined;
  readonly speed: number | undefined;
  readonly intelligence: number | undefined;
}

/** A sampling request from a server. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly systemPrompt: string | undefined;
  readonly maxTokens: number;
  readonly temperature: number | undefined;
  readonly stopSequences: readonly string[];
  readonly preferences: ModelPreferences;
  readonly includeContext: 'none' | 'thisServer' | 'allServers';
  readonly tools: readonly SamplingTool[];
  readonly toolChoice: 'auto' | 'required' | 'none';
  readonly metadata: JsonObject | undefined;
  readonly relatedTask: string | undefined;
  readonly raw: JsonObject;
}

/** The model's answer. */
export interface SamplingResult {
  readonly content: readonly SamplingContent[];
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a provider's own value. */
  readonly stopReason: string | undefined;
}

/** A folder that a server may work in. */
interface Root {
  /** A `file:` URI. */
  readonly uri: string;
  readonly name: string | undefined;
}

export interface RootsResult {
  readonly roots: readonly Root[];
}
