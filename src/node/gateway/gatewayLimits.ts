export interface GatewayLimits {
  readonly bodyBytes: number;
  readonly sessionsPerServer: number;
  readonly connections: number;
  /** Maximum connections without a valid token. */
  readonly strangers: number;
  /** Time for a new connection to present the token. */
  readonly strangerMs: number;
  /** Younger connections are closed for newer ones only in a flood, because their first request may be on its way. */
  readonly youngMs: number;
  /** Time for a client to send the headers. */
  readonly headersMs: number;
  /** Time for a client to send a whole request. */
  readonly requestMs: number;
  /** Interval of keep-alive messages. Clients wait five minutes, and each message wakes both sides. */
  readonly keepAliveMs: number;
  /** Maximum bytes waiting for a slow client, per stream. */
  readonly backlogBytes: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  bodyBytes: 32 * 1024 * 1024,
  sessionsPerServer: 64,
  connections: 512,
  strangers: 64,
  strangerMs: 3_000,
  youngMs: 500,
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 60_000,
  backlogBytes: 8 * 1024 * 1024,
};
