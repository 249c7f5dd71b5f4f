import type { Json, JsonObject } from '../base/json.ts';
import type { ContentBlock, Role } from './content.ts';

/** What a server asks a person to fill in: one level of members that are text, numbers, flags or choices. */
export interface FormElicitation {
  readonly kind: 'form';
  readonly message: string;
  /** An object schema; ready for `schemaForm`. */
  readonly schema: JsonObject;
  /** The task on whose behalf it is asked. */
  readonly relatedTask: string | undefined;
  readonly raw: JsonObject;
}

/** A page that a server wants a person to visit. Nothing of it is fetched before the person agrees. */
export interface UrlElicitation {
  readonly kind: 'url';
  readonly message: string;
  /** As it came: to be shown whole. Always absolute; `https:`, or `http:`. */
  readonly url: string;
  /** Names it in `notifications/elicitation/complete`; absent since MCP 2026-07-28. */
  readonly elicitationId: string | undefined;
  readonly relatedTask: string | undefined;
  readonly raw: JsonObject;
}

export type Elicitation = FormElicitation | UrlElicitation;

export type ElicitedValue = string | number | boolean | readonly string[];

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

/** A tool that the model may ask for; it is the server that runs it. */
export interface SamplingTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
}

export interface ModelPreferences {
  /** Names or parts of names of models, the most wanted first. */
  readonly hints: readonly string[];
  /** From 0 to 1. */
  readonly cost: number | undefined;
  readonly speed: number | undefined;
  readonly intelligence: number | undefined;
}

/** What a server asks of a model. */
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

/** What the model said. */
export interface SamplingResult {
  readonly content: readonly SamplingContent[];
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a provider's own word. */
  readonly stopReason: string | undefined;
}

/** A place that a server may work in. */
export interface Root {
  /** A `file:` URI. */
  readonly uri: string;
  readonly name: string | undefined;
}

export interface RootsResult {
  readonly roots: readonly Root[];
}
