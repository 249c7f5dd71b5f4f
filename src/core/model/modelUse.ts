import type { Usage } from './inference.ts';

/** What used a model: a server's own request, an event, MCP sampling, a turn of `@mcpl`, a wrapped model. */
export const MODEL_ROUTES = ['inference', 'event', 'sampling', 'chat', 'wrapped'] as const;
export type ModelRoute = (typeof MODEL_ROUTES)[number];

/** What the audit calls it. */
const OPERATIONS: { readonly [R in ModelRoute]: string } = {
  inference: 'inference/request',
  event: 'inference/turn',
  sampling: 'sampling/createMessage',
  chat: 'chat/turn',
  wrapped: 'models/request',
};

export function operationOf(route: ModelRoute): string {
  return OPERATIONS[route];
}

export function routeOf(operation: string): ModelRoute | undefined {
  return MODEL_ROUTES.find((route) => OPERATIONS[route] === operation);
}

export function spentText({ inputTokens, outputTokens }: Usage): string {
  return `${inputTokens} tokens read, ${outputTokens} written.`;
}

/** Who used a model, on which way. Without a server it was the person. */
export interface ModelUser {
  readonly server: string | undefined;
  readonly route: ModelRoute;
}

/** One use of a model that ended. */
export interface ModelUseRecord extends ModelUser {
  /** When it began. */
  readonly at: number;
  readonly durationMs: number;
  /** `vendor/id` */
  readonly model: string;
  readonly usage: Usage;
  readonly outcome: 'success' | 'failure' | 'cancelled';
  readonly inferenceId?: string | undefined;
}

/** All uses of one model by one user since some time. */
export interface ModelUseTotal extends ModelUser {
  readonly model: string;
  readonly requests: number;
  readonly tokens: number;
  /** Of the last one. */
  readonly at: number;
}

export type ModelReservation =
  | { readonly kind: 'reserved'; release(): void }
  /** One sentence or two, with the next step; for the server, and for people. */
  | { readonly kind: 'refused'; readonly message: string };

/** What a server may use of models, and what is left of it now. */
export interface ModelBudget {
  readonly server: string;
  /** Whether one of its feature sets that are on may send requests to a model. */
  readonly isUsing: boolean;
  /** The model that its settings name. */
  readonly model: string | undefined;
  readonly requestsLastHour: number;
  readonly requestsPerHour: number;
  readonly tokensLastDay: number;
  readonly tokensPerDay: number;
}
