export type TransportSetting = 'loopback' | 'socket' | 'off';

/** From most to least permissive. */
const TRANSPORTS: readonly TransportSetting[] = ['loopback', 'socket', 'off'];

/**
 * The least permissive of all values. A repository can disable what the user enabled, but not the reverse. Invalid
 * values are ignored.
 */
export function narrowestTransport(...values: readonly unknown[]): TransportSetting {
  const ranks = values.map((value) => TRANSPORTS.findIndex((transport) => transport === value));
  return TRANSPORTS[Math.max(0, ...ranks)] ?? 'loopback';
}
