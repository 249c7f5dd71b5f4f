import type { CancellationToken } from './base/cancellation.ts';
import type { Event } from './base/event.ts';
import type { FinishReason, ModelFacts, ModelFailure, ModelMessage } from './model/inference.ts';

/** The language models of whoever hosts the host: the editor's, or what a driver plays. */
export interface Models {
  /** Fires when a model may have become usable, or is no longer. */
  readonly onDidChange?: Event<void> | undefined;
  /** The model to use. Never asks a person: where a permission is missing, it fails with `no_permission`. */
  choose(wish: ModelWish, token: CancellationToken): Promise<ModelChoice>;
}

export interface ModelWish {
  /** Part of a model's id or name, by the settings; absent for any. */
  readonly name: string | undefined;
  /** The server that it is for; absent for a person's own turn. */
  readonly server: string | undefined;
}

export type ModelChoice = { readonly kind: 'model'; readonly model: LanguageModel } | ModelFailure;

export interface LanguageModel {
  readonly facts: ModelFacts;
  /** Resolves with how it ended; rejects never. `onText` is called with each piece of the answer, in order. */
  run(request: ModelRequest, onText: (delta: string) => void, token: CancellationToken): Promise<ModelRunEnd>;
  count(text: string, token: CancellationToken): Promise<number>;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Why it is used, one sentence; shown to the person where the editor asks. */
  readonly justification: string;
}

export type ModelRunEnd = { readonly kind: 'ended'; readonly finishReason: FinishReason } | ModelFailure;
