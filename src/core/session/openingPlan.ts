import type { ConnectionDefinition, ProtocolSettings } from '../model/server.ts';
import type { EraVerdict } from '../ports.ts';

/** How to start a connection to a server. */
export type OpeningPlan =
  /** With `initialize`. A server that then lists only stateless revisions is opened that way. */
  | { readonly kind: 'initialize'; readonly mayFallForward: boolean }
  /** Without `initialize`, as settings require. */
  | { readonly kind: 'stateless' }
  /** With a probe on the connection that is then used. `isExpected`: the server answered it before. */
  | { readonly kind: 'probe'; readonly isExpected: boolean };

export interface OpeningFacts {
  readonly protocol: ProtocolSettings;
  readonly connection: Pick<ConnectionDefinition, 'kind'> & { readonly transport?: string; readonly url?: string };
  readonly verdict: EraVerdict | undefined;
  readonly now: number;
}

/** Legacy verdicts expire, because an updated server would not announce its new version. */
export const LEGACY_VERDICT_MS = 7 * 24 * 3600 * 1000;

/** In order of certainty: settings, the remembered verdict, a probe. */
export function planOpening({ protocol, connection, verdict, now }: OpeningFacts): OpeningPlan {
  if (protocol.era === 'modern') return { kind: 'stateless' };
  if (protocol.era === 'legacy' || protocol.dialect === 'force') return { kind: 'initialize', mayFallForward: false };
  if (isMcpl(protocol, verdict)) return { kind: 'initialize', mayFallForward: true };
  if (verdict?.era === 'modern') return { kind: 'probe', isExpected: true };
  const isFresh = verdict !== undefined && verdict.at <= now && now - verdict.at < LEGACY_VERDICT_MS;
  if (isFresh) return { kind: 'initialize', mayFallForward: true };
  return connection.kind === 'stdio' || isHttp(connection)
    ? { kind: 'probe', isExpected: false }
    : { kind: 'initialize', mayFallForward: true };
}

/** MCPL sends requests from server to host, which a stateless connection does not support. */
function isMcpl({ mcpl }: ProtocolSettings, verdict: EraVerdict | undefined): boolean {
  if (mcpl === 'off') return false;
  return mcpl !== 'auto' || verdict?.mcpl === true;
}

/** HTTP+SSE only exists in 2024-11-05, and WebSocket servers may close on an unknown first message. */
function isHttp({ transport, url = '' }: OpeningFacts['connection']): boolean {
  return transport !== 'sse' && transport !== 'websocket' && !/^wss?:/i.test(url);
}
