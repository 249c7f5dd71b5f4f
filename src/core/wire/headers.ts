import { base64 } from '../base/base64.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { HeaderParam } from '../model/catalog.ts';
import { text } from './members.ts';

/** The member of `params` that the `Mcp-Name` header repeats, by method (MCP 2026-07-28). */
const NAME_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The encoded value of `Mcp-Name`. `undefined` for methods without one. */
export function nameHeaderOf(method: string, params: JsonObject): string | undefined {
  const member = NAME_MEMBERS.get(method);
  const name = member === undefined ? undefined : text(params[member]);
  return name === undefined ? undefined : encodeHeaderValue(name);
}

/** The `Mcp-Param-…` headers of a call. Absent and null arguments have none. */
export function paramHeaders(
  tool: { readonly headerParams: readonly HeaderParam[] },
  args: JsonObject,
): Readonly<Record<string, string>> {
  const headers = tool.headerParams.flatMap(({ path, header }) => {
    const value = textOf(valueAt(args, path));
    return value === undefined ? [] : [[`Mcp-Param-${header}`, encodeHeaderValue(value)] as const];
  });
  return Object.fromEntries(headers);
}

/** All headers that repeat members of a stateless request. */
export function routingHeaders(method: string, params: JsonObject): Readonly<Record<string, string>> {
  const name = nameHeaderOf(method, params);
  return name === undefined ? { 'Mcp-Method': method } : { 'Mcp-Method': method, 'Mcp-Name': name };
}

function valueAt(args: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = args;
  for (const member of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, member)) return undefined;
    at = at[member];
  }
  return at;
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  // Unsafe integers have no decimal form that both ends agree on.
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Encodes a value as base64 of its UTF-8 if a header cannot carry it as it is. */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(value);
  const looksEncoded = value.startsWith('=?base64?') && value.endsWith('?=');
  return isPlain && !looksEncoded ? value : `=?base64?${base64(value)}?=`;
}
