import type { JsonObject } from '../base/json.ts';
import type { ContentBlock } from './content.ts';
import type { Usage } from './inference.ts';

/** An event that a server reported (model F: one for every source of events). */
export interface InboundEvent {
  /** The host's own, unique in the workspace. */
  readonly id: string;
  readonly server: string;
  readonly source: EventSource;
  /** The server's own, by which it is told apart from its repetitions (MCPL §9.4). */
  readonly eventId: string;
  /** When it happened, as the server wrote it. */
  readonly occurredAt: string;
  /** When it arrived. */
  readonly receivedAt: number;
  readonly origin: JsonObject | undefined;
  readonly content: readonly ContentBlock[];
  /** Of the turn that it began, or will. */
  readonly inferenceId: string | undefined;
  readonly isRead: boolean;
  readonly outcome: EventOutcome;
}

/** By which way it came. */
export interface EventSource {
  readonly kind: 'push';
  readonly featureSet: string;
}

/** What a model made of it. */
export type EventOutcome =
  | { readonly kind: 'none' }
  /** A turn is under way, or was when the host ended. */
  | { readonly kind: 'asking'; readonly at: number }
  | {
      readonly kind: 'answered';
      readonly at: number;
      readonly text: string;
      readonly model: string;
      readonly usage: Usage;
    }
  | { readonly kind: 'failed'; readonly at: number; readonly message: string };
