export type TransportSetting = 'loopback' | 'socket' | 'off';

/** From the widest to the narrowest. */
const TRANSPORTS: readonly TransportSetting[] = ['loopback', 'socket', 'off'];

/**
 * What is set by all who may set it. A repository can close what the person left open, and not open what the person
 * closed; what is no transport is the same as nothing.
 */
export function narrowestTransport(...values: readonly unknown[]): TransportSetting {
  const ranks = values.map((value) => TRANSPORTS.findIndex((transport) => transport === value));
  return TRANSPORTS[Math.max(0, ...ranks)] ?? 'loopback';
}
