import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ServerInfo } from '../model/catalog.ts';
import type { Era } from '../model/server.ts';
import { decodeServerInfo } from './serverInfo.ts';

/** Revisions that start with `initialize`, oldest first. */
export const INITIALIZE_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
/** Adds the draft version that servers built with the first SDKs send. It has no differences that matter to a host. */
const ACCEPTED: readonly string[] = ['2024-10-07', ...INITIALIZE_REVISIONS];
export const LATEST_REVISION = '2025-11-25';
/** Stateless revisions, oldest first. */
export const MODERN_REVISIONS: readonly string[] = ['2026-07-28'];

/** MCP 2026-07-28: unsupported version. `data.supported` lists the supported ones. */
export const UNSUPPORTED_VERSION = -32022;

/** The result of a handshake: the agreed version, and the server's information. */
export interface Handshake {
  readonly era: Era;
  /** The server uses the short dialect, which an adapter translates to standard MCP. */
  readonly isDialect: boolean;
  readonly protocolVersion: string;
  readonly info: ServerInfo;
  readonly capabilities: JsonObject;
  /** Duration of the first request. */
  readonly roundTripMs: number;
}

type HandshakeOutcome =
  | { readonly kind: 'ok'; readonly handshake: Handshake }
  | { readonly kind: 'unsupported'; readonly protocolVersion: string }
  | { readonly kind: 'invalid'; readonly message: string };

export function encodeInitialize(
  protocolVersion: string,
  client: { readonly name: string; readonly title: string; readonly version: string },
  capabilities: JsonObject,
): JsonObject {
  return { protocolVersion, capabilities, clientInfo: { ...client } };
}

export function decodeInitialize(result: Json): HandshakeOutcome {
  if (!isJsonObject(result)) return { kind: 'invalid', message: 'its answer to "initialize" is not an object' };
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== 'string')
    return { kind: 'invalid', message: 'its answer to "initialize" names no protocolVersion' };
  if (!ACCEPTED.includes(protocolVersion)) return { kind: 'unsupported', protocolVersion };
  return {
    kind: 'ok',
    handshake: {
      era: 'legacy',
      isDialect: false,
      roundTripMs: 0,
      protocolVersion,
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      info: decodeServerInfo(serverInfo, instructions),
    },
  };
}

/** The supported versions in an error answer to `initialize` (`data.supported`). */
export function offeredVersions(data: Json | undefined): readonly string[] {
  if (!isJsonObject(data) || !Array.isArray(data['supported'])) return [];
  return data['supported'].filter((version): version is string => typeof version === 'string');
}

/** The newest of these revisions that this host supports. */
export function bestOf(versions: readonly string[]): string | undefined {
  return [...ACCEPTED].reverse().find((version) => versions.includes(version));
}
