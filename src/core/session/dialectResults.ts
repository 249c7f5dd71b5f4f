import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/** The dialect's stated version, which is also the closest standard revision. */
export const DIALECT_REVISION = '2025-06-18';
const SCHEME = 'dialect003:';
const SUCCESS: readonly (Json | undefined)[] = [undefined, null, true, 'success', 'ok'];
const ANY_ARGUMENTS: JsonObject = { type: 'object' };

/** Translates the server's information and capabilities. Standard members pass unchanged. */
export function standardInitialize(result: Json): Json {
  if (!isJsonObject(result) || typeof result['protocolVersion'] === 'string') return result;
  const { server, instructions } = result;
  return {
    protocolVersion: DIALECT_REVISION,
    serverInfo: serverInfo(server),
    capabilities: standardCapabilities(result['serverCapabilities']),
    ...(typeof instructions === 'string' ? { instructions } : {}),
  };
}

function serverInfo(server: Json | undefined): JsonObject {
  if (isJsonObject(server)) return server;
  return { name: typeof server === 'string' ? server : '', version: '' };
}

function standardCapabilities(declared: Json | undefined): JsonObject {
  // A server that declares nothing is assumed to have tools.
  const own = isJsonObject(declared) ? declared : { supportsToolDiscovery: true };
  const listChanged = own['supportsNotifications'] === true;
  return {
    ...(own['supportsToolDiscovery'] === true ? { tools: { listChanged } } : {}),
    ...(own['supportsResourceDiscovery'] === true ? { resources: { listChanged } } : {}),
    experimental: { dialect003: own },
  };
}

/** The dialect's list is a bare array, and an entry may be only a name. */
export function standardTools(result: Json): Json {
  return standardList(result, 'tools', standardTool);
}

export function standardTool(tool: Json): Json {
  if (typeof tool === 'string') return { name: tool, inputSchema: ANY_ARGUMENTS };
  if (!isJsonObject(tool) || isJsonObject(tool['inputSchema'])) return tool;
  return { ...tool, inputSchema: ANY_ARGUMENTS };
}

export function standardResources(result: Json): Json {
  return standardList(result, 'resources', (resource) => {
    if (typeof resource === 'string') return { uri: resourceUri(resource), name: resource };
    if (!isJsonObject(resource) || typeof resource['uri'] === 'string') return resource;
    const { name } = resource;
    return typeof name === 'string' ? { ...resource, uri: resourceUri(name) } : resource;
  });
}

function standardList(result: Json, member: 'tools' | 'resources', standard: (entry: Json) => Json): Json {
  if (result === null) return { [member]: [] };
  if (isJsonArray(result)) return { [member]: result.map(standard) };
  const listed = isJsonObject(result) ? result[member] : undefined;
  return isJsonObject(result) && isJsonArray(listed) ? { ...result, [member]: listed.map(standard) } : result;
}

/** The dialect names resources, while the standard uses URIs. */
export function resourceUri(name: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(name)) return name;
  return SCHEME + encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/** The server's name of the resource with this URI. */
export function resourceName(uri: string): string {
  if (!uri.startsWith(SCHEME)) return uri;
  const encoded = uri.slice(SCHEME.length);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Converts the result of `tools/invoke` to one of `tools/call`. */
export function standardToolResult(result: Json): JsonObject {
  if (!isJsonObject(result)) return toolResult(result, false);
  if (isJsonArray(result['content'])) return result;
  const { status, output, error, message } = result;
  if (status === undefined && output === undefined) return toolResult(result, false);
  const isError = !SUCCESS.includes(typeof status === 'string' ? status.toLowerCase() : status);
  if (!isError) return toolResult(output, false);
  return toolResult(output ?? message ?? error ?? `The tool ended with the status ${textOf(status)}.`, true);
}

/** An error with a positive code is a tool failure for the model. Undefined for other errors. */
export function toolFailure(error: { readonly code: number; readonly message: string }): JsonObject | undefined {
  if (error.code <= 0) return undefined;
  const text = error.message === '' ? `The tool failed with the code ${error.code}.` : error.message;
  return toolResult(text, true);
}

function toolResult(output: Json | undefined, isError: boolean): JsonObject {
  return {
    content: output === undefined || output === null ? [] : [{ type: 'text', text: textOf(output) }],
    ...(isJsonObject(output) ? { structuredContent: output } : {}),
    ...(isError ? { isError } : {}),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
