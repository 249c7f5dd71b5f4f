import { base64, unbase64 } from '../base/base64.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { mapTexts } from '../base/jsonTexts.ts';
import type { Redact, SecretList } from '../base/secrets.ts';
import type { ForeignSecrets } from './protocolTrace.ts';

/**
 * Members that return data which the server wrote itself, such as states, names, cursors and scope payloads. The server
 * already knows their content.
 */
const ITS_OWN: ReadonlySet<string> = new Set([
  'state',
  'checkpoint',
  'payload',
  'requestState',
  'cursor',
  'taskId',
  'elicitationId',
  'name',
  'ref',
]);

/** Filters secrets of other servers. Called for every message, so the filter is cached until the list changes. */
export function foreignSecrets(secrets: SecretList, server: string): () => ForeignSecrets | undefined {
  let redact: Redact | undefined;
  let filter: ForeignSecrets | undefined;
  return () => {
    const current = secrets.foreignTo(server);
    if (current === redact) return filter;
    redact = current;
    filter = current === undefined ? undefined : filterOf(current);
    return filter;
  };
}

function filterOf(redact: Redact): ForeignSecrets {
  const header = (value: string): string => cleanHeader(value, redact);
  return {
    message: (message) => (isJsonObject(message) ? cleanMessage(message, redact) : mapTexts(message, redact)),
    hints: (hints) => {
      const { headers } = hints;
      if (headers === undefined) return hints;
      const clean = Object.entries(headers).map(([name, value]) => [name, header(value)] as const);
      return { ...hints, headers: Object.fromEntries(clean) };
    },
  };
}

function cleanMessage(message: JsonObject, redact: Redact): JsonObject {
  const clean = cleanMember(message, 'params', redact);
  return cleanMember(cleanMember(clean, 'result', redact), 'error', redact);
}

function cleanMember(message: JsonObject, member: 'params' | 'result' | 'error', redact: Redact): JsonObject {
  const before = message[member];
  if (before === undefined) return message;
  const after = isJsonObject(before) ? cleanMembers(before, redact) : mapTexts(before, redact);
  return after === before ? message : { ...message, [member]: after };
}

function cleanMembers(object: JsonObject, redact: Redact): JsonObject {
  let clean: Record<string, Json | undefined> | undefined;
  for (const name of Object.keys(object)) {
    // Skips lazily read states, because checking one would parse it.
    if (ITS_OWN.has(name)) continue;
    const value = object[name];
    if (value === undefined) continue;
    const after = mapTexts(value, redact);
    if (after === value) continue;
    clean ??= { ...object };
    clean[name] = after;
  }
  return clean ?? object;
}

const ENCODED = /^=\?base64\?(.*)\?=$/;

/** Headers that repeat arguments (MCP 2026-07-28) may encode them in base64. */
function cleanHeader(value: string, redact: Redact): string {
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return redact(value);
  const text = unbase64(encoded);
  const clean = redact(text);
  return clean === text ? value : `=?base64?${base64(clean)}?=`;
}
