import type { Usage } from './inference.ts';

/** The purposes of model use: a server's request, an event, MCP sampling, a turn of `@mcpl`, a wrapped model. */
const MODEL_ROUTES = ['inference', 'event', 'sampling', 'chat', 'wrapped'] as const;
export type ModelRoute = (typeof MODEL_ROUTES)[number];

/** The operation names in the audit. */
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

/** The caller that used a model, and its route. Without a server it is the user. */
interface ModelUser {
  readonly server: string | undefined;
  readonly route: ModelRoute;
}

/** One completed use of a model. */
export interface ModelUseRecord extends ModelUser {
  /** Start time. */
  readonly at: number;
  readonly durationMs: number;
  /** `vendor/id` */
  readonly model: string;
  readonly usage: Usage;
  readonly outcome: 'success' | 'failure' | 'cancelled';
  readonly inferenceId?: string | undefined;
}

/** Total use of one model by one user within a period. */
export interface ModelUseTotal extends ModelUser {
  readonly model: string;
  readonly requests: number;
  readonly tokens: number;
  /** Time of the last use. */
  readonly at: number;
}

export type ModelReservation =
  | { readonly kind: 'reserved'; release(): void }
  /** One or two sentences with the next step, for the server and the user. */
  | { readonly kind: 'refused'; readonly message: string };

/** A server's model budget, and its current use. */
export interface ModelBudget {
  readonly server: string;
  /** Whether an enabled feature set may send requests to a model. */
  readonly isUsing: boolean;
  /** The model in the server's settings. */
  readonly model: string | undefined;
  readonly requestsLastHour: number;
  readonly requestsPerHour: number;
  readonly tokensLastDay: number;
  readonly tokensPerDay: number;
}
