import type { JsonObject } from '../base/json.ts';
import type { ContentBlock } from './content.ts';
import type { Usage } from './inference.ts';

/** An event from a server. All sources of events share this type. */
export interface InboundEvent {
  /** The host's id, unique in the workspace. */
  readonly id: string;
  readonly server: string;
  readonly source: EventSource;
  /** The server's id, used to detect repetitions (MCPL §9.4). */
  readonly eventId: string;
  /** Time of the event, as the server wrote it. */
  readonly occurredAt: string;
  /** Time of arrival. */
  readonly receivedAt: number;
  readonly origin: JsonObject | undefined;
  readonly content: readonly ContentBlock[];
  /** The turn that the event started or will start. */
  readonly inferenceId: string | undefined;
  readonly isRead: boolean;
  readonly outcome: EventOutcome;
}

/** How the event arrived. */
export interface EventSource {
  readonly kind: 'push';
  readonly featureSet: string;
}

/** The result of the model's turn. */
export type EventOutcome =
  | { readonly kind: 'none' }
  /** A turn is running, or was running when the host ended. */
  | { readonly kind: 'asking'; readonly at: number }
  | {
      readonly kind: 'answered';
      readonly at: number;
      readonly text: string;
      readonly model: string;
      readonly usage: Usage;
    }
  | { readonly kind: 'failed'; readonly at: number; readonly message: string };
