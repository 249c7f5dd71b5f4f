export interface GatewayLimits {
  readonly bodyBytes: number;
  readonly sessionsPerServer: number;
  readonly connections: number;
  /** Connections at one time that have not shown the token. */
  readonly strangers: number;
  /** For a connection to show the token with a first request. */
  readonly strangerMs: number;
  /** A connection this young may have its first request on the way: it ends for a newer one only in a flood. */
  readonly youngMs: number;
  /** For a client to send the headers of a request. */
  readonly headersMs: number;
  /** For a client to send a whole request. */
  readonly requestMs: number;
  /** Between two signs of life on an open stream: clients wait five minutes for one, and each wakes both sides. */
  readonly keepAliveMs: number;
  /** Bytes that may wait for a client that reads slowly, on each stream. */
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
