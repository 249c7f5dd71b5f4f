import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Elicitation, FormElicitation, UrlElicitation } from '../model/inputs.ts';
import { type Decoded, invalid, list, object, ok, relatedTask, text } from './members.ts';

const MAX_PROPERTIES = 1_000;

/** The modes of a connection: those of its revision, or those that the host declared. */
export type ElicitationModes = 'none' | 'form' | 'form+url';

/** The params of `elicitation/create`. The default mode is a form. */
export function decodeElicitation(params: JsonObject, modes: ElicitationModes): Decoded<Elicitation> {
  const mode = params['mode'] ?? 'form';
  if (modes === 'none') return invalid('nobody can be asked here');
  if (mode === 'form') return decodeFormElicitation(params);
  if (mode === 'url' && modes === 'form+url') return decodeUrlElicitation(params);
  return invalid(`it asks in the mode ${JSON.stringify(mode).slice(0, 40)}, which is not one that was declared`);
}

function decodeFormElicitation(params: JsonObject): Decoded<FormElicitation> {
  const message = params['message'];
  const schema = params['requestedSchema'];
  if (typeof message !== 'string') return invalid('its "message" is not a text');
  if (!isJsonObject(schema)) return invalid('its "requestedSchema" is not an object');
  const problem = formProblem(schema);
  if (problem !== undefined) return invalid(problem);
  return ok({ kind: 'form', message, schema, relatedTask: relatedTask(params), raw: params });
}

/** MCP "Elicitation": a flat object, so that every host can show it. */
function formProblem(schema: JsonObject): string | undefined {
  if (schema['type'] !== undefined && schema['type'] !== 'object') return 'its "requestedSchema" is not of an object';
  const properties = schema['properties'] ?? {};
  if (!isJsonObject(properties)) return 'the "properties" of its "requestedSchema" are not an object';
  // More members would be unusable, and showing them would block the editor.
  if (Object.keys(properties).length > MAX_PROPERTIES)
    return `its "requestedSchema" has more than ${MAX_PROPERTIES} members`;
  const nested = Object.keys(properties).find((name) => object(properties[name])?.['type'] === 'object');
  if (nested !== undefined) return `"${nested.slice(0, 40)}" in its "requestedSchema" holds members of its own`;
  const odd = Object.keys(properties).find((name) => !isJsonObject(properties[name]));
  return odd === undefined ? undefined : `"${odd.slice(0, 40)}" in its "requestedSchema" is no schema`;
}

function decodeUrlElicitation(params: JsonObject): Decoded<UrlElicitation> {
  const { message, url } = params;
  if (typeof message !== 'string') return invalid('its "message" is not a text');
  if (typeof url !== 'string') return invalid('its "url" is not a text');
  if (!isWebUrl(url)) return invalid('its "url" is not the address of a web page');
  return ok({
    kind: 'url',
    message,
    url,
    elicitationId: text(params['elicitationId']),
    relatedTask: relatedTask(params),
    raw: params,
  });
}

const MAX_URL = 100_000;

/** Opening another scheme could run a program. */
function isWebUrl(url: string): boolean {
  if (url.length > MAX_URL) return false;
  try {
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

/**
 * MCP 2025-11-25, error -32042: the pages to visit before the request is repeated. Recognized by its data, because the
 * code has other uses too.
 */
export function urlElicitationsOf(data: Json | undefined): readonly UrlElicitation[] {
  return list(object(data)?.['elicitations']).flatMap((item) => {
    if (!isJsonObject(item)) return [];
    const decoded = decodeUrlElicitation(item);
    return decoded.kind === 'ok' ? [decoded.value] : [];
  });
}
