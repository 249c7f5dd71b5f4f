import { isJsonObject, type Json } from '../core/index.ts';
import type { HttpHeaders } from './httpRequest.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** MCP 2026-07-28 "Value Encoding": what a header may hold as it is. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const SENTINEL = /^=\?base64\?.*\?=$/;

/**
 * The headers that repeat what a stateless request says of itself (MCP 2026-07-28 "Standard Headers"), by which those
 * on its way can route it; `undefined` for every other message.
 */
export function statelessHeaders(message: Json): HttpHeaders | undefined {
  if (!isJsonObject(message)) return undefined;
  const { method, params } = message;
  if (typeof method !== 'string' || !isJsonObject(params) || !isJsonObject(params['_meta'])) return undefined;
  const version = params['_meta'][VERSION_KEY];
  if (typeof version !== 'string') return undefined;
  const name = params[nameKey(method)];
  return encodedHeaders({
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  });
}

/** Names in lower case, so that one is not sent twice; values as a header can carry them. */
export function encodedHeaders(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), encoded(value)]));
}

/** Which of the parameters is the `Mcp-Name` of a method; '' for those without. */
function nameKey(method: string): string {
  if (method === 'tools/call' || method === 'prompts/get') return 'name';
  if (method === 'resources/read') return 'uri';
  return method.startsWith('tasks/') ? 'taskId' : '';
}

function encoded(value: string): string {
  if (PLAIN.test(value) && !SENTINEL.test(value)) return value;
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
