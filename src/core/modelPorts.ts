import type { CancellationToken } from './base/cancellation.ts';
import type { Event } from './base/event.ts';
import type { FinishReason, ModelFacts, ModelFailure, ModelMessage } from './model/inference.ts';

/** The language models of the host's environment: those of the editor, or simulated ones. */
export interface Models {
  /** Fires when a model may have become available or unavailable. */
  readonly onDidChange?: Event<void> | undefined;
  /** The model to use. Never prompts: without a permission it fails with `no_permission`. */
  choose(wanted: ModelSelection, token: CancellationToken): Promise<ModelChoice>;
}

export interface ModelSelection {
  /** Part of a model's id or name from the settings. Absent: any model. */
  readonly name: string | undefined;
  /** The server that needs the model. Absent for the user's own turn. */
  readonly server: string | undefined;
}

export type ModelChoice = { readonly kind: 'model'; readonly model: LanguageModel } | ModelFailure;

export interface LanguageModel {
  readonly facts: ModelFacts;
  /** Resolves with the outcome, and never rejects. Calls `onText` with each piece of the answer, in order. */
  run(request: ModelRequest, onText: (delta: string) => void, token: CancellationToken): Promise<ModelRunEnd>;
  count(text: string, token: CancellationToken): Promise<number>;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** The purpose, in one sentence. Shown to the user if the editor prompts. */
  readonly justification: string;
}

export type ModelRunEnd = { readonly kind: 'ended'; readonly finishReason: FinishReason } | ModelFailure;
