import type { ContentBlock, Role } from './content.ts';

/** MCPL §12.2: information about a model. */
export interface ModelFacts {
  readonly id: string;
  readonly vendor: string;
  readonly contextWindow: number;
  readonly capabilities: readonly string[];
}

export interface ModelMessage {
  readonly role: Role;
  readonly content: readonly ContentBlock[];
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** MCPL §11.3. */
export type FinishReason = 'end_turn' | 'max_tokens' | 'stop_sequence';

/** Why no model answered. */
export const MODEL_FAILURES = ['no_model', 'no_permission', 'blocked', 'quota', 'cancelled', 'failed'] as const;
export type ModelFailureReason = (typeof MODEL_FAILURES)[number];

export interface ModelFailure {
  readonly kind: 'failed';
  readonly reason: ModelFailureReason;
  /** One sentence with the next step, for the user. */
  readonly message: string;
}
