import type { ConnectionDefinition, ProtocolSettings } from '../model/server.ts';
import type { EraVerdict } from '../ports.ts';

/** How a connection to a server is begun. */
export type OpeningPlan =
  /** With `initialize`; a server that then names only stateless revisions is opened that way. */
  | { readonly kind: 'initialize'; readonly mayFallForward: boolean }
  /** Without `initialize`, because the settings say so. */
  | { readonly kind: 'stateless' }
  /** With a question on the connection that is then used. `isExpected`: the server answered it before. */
  | { readonly kind: 'probe'; readonly isExpected: boolean };

export interface OpeningFacts {
  readonly protocol: ProtocolSettings;
  readonly connection: Pick<ConnectionDefinition, 'kind'> & { readonly transport?: string; readonly url?: string };
  readonly verdict: EraVerdict | undefined;
  readonly now: number;
}

/** A server that was found to know only `initialize` may have been updated since; it would never say so by itself. */
export const LEGACY_VERDICT_MS = 7 * 24 * 3600 * 1000;

/** In the order of certainty: what the settings say, what the server was found to be, and a question. */
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

/** MCPL's requests go from server to host, which a stateless connection does not carry. */
function isMcpl({ mcpl }: ProtocolSettings, verdict: EraVerdict | undefined): boolean {
  if (mcpl === 'off') return false;
  return mcpl !== 'auto' || verdict?.mcpl === true;
}

/** HTTP+SSE is of 2024-11-05 alone, and a WebSocket may be closed by whoever does not know the first word. */
function isHttp({ transport, url = '' }: OpeningFacts['connection']): boolean {
  return transport !== 'sse' && transport !== 'websocket' && !/^wss?:/i.test(url);
}
