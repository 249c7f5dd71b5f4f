import type { CancellationToken } from '../base/cancellation.ts';
import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { HostError, isHostError } from '../base/errors.ts';
import type { Event } from '../base/event.ts';
import type { JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import { Peer } from '../rpc/peer.ts';
import type { Transport } from '../rpc/transport.ts';
import { decodeDiscover, type Discovered, envelope } from '../wire/envelope.ts';
import { MODERN_REVISIONS, offeredVersions } from '../wire/handshake.ts';
import { StatelessTransport } from './statelessTransport.ts';

/** Maximum length of texts from an unknown server. */
const MAX_SHOWN = 300;
const MAX_LISTED = 20;

export type Discovery =
  | {
      readonly kind: 'modern';
      readonly protocolVersion: string;
      readonly discovered: Discovered;
      readonly roundTripMs: number;
    }
  | { readonly kind: 'legacy'; readonly why: string };

export interface DiscoveryOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: { readonly name: string; readonly title: string; readonly version: string };
  readonly capabilities: JsonObject;
  readonly timeoutMs: number;
  readonly token: CancellationToken;
  readonly onWaiting?: Event<boolean> | undefined;
  /** The last id used on the connection before. */
  readonly lastId?: number | undefined;
  /** For a process, every failure except its end counts as an answer. Failures of a remote connection are reported. */
  readonly isProcess: boolean;
}

/**
 * Asks a server whether it speaks the stateless revision (MCP 2026-07-28, "Versioning"). Only an answer in that
 * revision's format counts. Other answers, and silence, mean that the server needs `initialize`. Rejects if nothing can
 * be concluded: the user must sign in first, or the server is unreachable.
 */
export async function discover(options: DiscoveryOptions): Promise<Discovery & { readonly lastId: number }> {
  const { transport, clock, log, token } = options;
  const handlers = {
    request: () => ({}),
    notification: () => undefined,
  };
  const peer = new Peer(new StatelessTransport(transport, log), handlers, {
    clock,
    lastId: options.lastId,
    onWaiting: options.onWaiting,
    log: (level, message) => log.log(level, message),
  });
  const began = clock.now();
  try {
    for (const protocolVersion of [...MODERN_REVISIONS].reverse()) {
      const outcome = await ask(peer, protocolVersion, options);
      if (outcome === 'otherVersion') continue;
      if (outcome.kind === 'legacy') return { ...outcome, lastId: peer.lastId };
      return { ...outcome, protocolVersion, roundTripMs: clock.now() - began, lastId: peer.lastId };
    }
    return { kind: 'legacy', why: 'it offers no stateless revision that this host speaks', lastId: peer.lastId };
  } catch (error) {
    if (token.isCancellationRequested || !(error instanceof HostError)) throw error;
    const why = concluded(error, options);
    if (why === undefined) throw error;
    return { kind: 'legacy', why, lastId: peer.lastId };
  } finally {
    peer.dispose();
  }
}

type Asked =
  { readonly kind: 'modern'; readonly discovered: Discovered } | { readonly kind: 'legacy'; readonly why: string };

async function ask(peer: Peer, protocolVersion: string, options: DiscoveryOptions): Promise<Asked | 'otherVersion'> {
  const { client, capabilities, timeoutMs, token } = options;
  const params = envelope({}, { protocolVersion, clientInfo: { ...client }, clientCapabilities: capabilities });
  try {
    const discovered = await peer.decoded('server/discover', params, { timeoutMs, token }, decodeDiscover);
    if (discovered === undefined) return { kind: 'legacy', why: 'its answer is not that of a stateless server' };
    if (discovered.supportedVersions.includes(protocolVersion)) return { kind: 'modern', discovered };
    return otherVersions(discovered.supportedVersions);
  } catch (error) {
    const offered = isHostError(error, 'REMOTE_ERROR') ? offeredVersions(error.data) : [];
    if (offered.length === 0) throw error;
    return otherVersions(offered);
  }
}

/** The server listed its revisions: another supported one, older ones with `initialize`, or none in common. */
function otherVersions(offered: readonly string[]): Asked | 'otherVersion' {
  if (MODERN_REVISIONS.some((version) => offered.includes(version))) return 'otherVersion';
  if (offered.some((version) => version < '2026')) return { kind: 'legacy', why: `it offers ${listed(offered)}` };
  throw new HostError(
    'UNSUPPORTED_VERSION',
    `The server speaks MCP ${listed(offered)}; this host speaks ${MODERN_REVISIONS.join(', ')} and older.`,
    {
      layer: 'protocol',
      effect: 'none',
      suggestion: 'Update the server, or this extension.',
    },
  );
}

function listed(versions: readonly string[]): string {
  return cleanLine(versions.slice(0, MAX_LISTED).join(', '), MAX_SHOWN);
}

/** Why a failure means that the server needs `initialize`. `undefined` if it does not. */
function concluded(error: HostError, { isProcess }: DiscoveryOptions): string | undefined {
  if (error.code === 'UNSUPPORTED_VERSION' || error.code === 'CONNECTION_CLOSED') return undefined;
  if (error.code === 'TIMEOUT') return 'it does not answer the question';
  if (error.code === 'INVALID_MESSAGE') return 'its answer is not that of a stateless server';
  if (isProcess && error.code !== 'REMOTE_ERROR') return cleanLine(error.message, MAX_SHOWN);
  if (error.code !== 'REMOTE_ERROR') return undefined;
  const status = /^http-(\d{3})$/.exec(error.category ?? '')?.[1];
  if (status === undefined) return `it answered: ${cleanLine(error.message, MAX_SHOWN)}`;
  // 401 and 403 mean nothing before the sign-in. From 500 on, the server is faulty.
  return Number(status) >= 500 || status === '401' || status === '403' || status === '429'
    ? undefined
    : `it answered HTTP ${status}`;
}
