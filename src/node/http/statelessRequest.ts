import { isJsonObject, type Json, routingHeaders } from '../../core/index.ts';
import type { HttpHeaders } from './httpRequest.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/**
 * The headers that repeat members of a stateless request for routing (MCP 2026-07-28 "Standard Headers"). `undefined`
 * for other messages.
 */
export function statelessHeaders(message: Json): HttpHeaders | undefined {
  if (!isJsonObject(message)) return undefined;
  const { method, params } = message;
  if (typeof method !== 'string' || !isJsonObject(params) || !isJsonObject(params['_meta'])) return undefined;
  const version = params['_meta'][VERSION_KEY];
  if (typeof version !== 'string') return undefined;
  return inLowerCase({ ...routingHeaders(method, params), 'MCP-Protocol-Version': version });
}

/** Prevents sending a header twice in different case. */
export function inLowerCase(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
