import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ServerDefinition, SettingsLayer, SettingsProblem, SettingsScope } from '../model/server.ts';
import { decodeEntry } from './entryDecoder.ts';

/** One entry of the merged settings: runnable, or only the problems that keep it from running. */
export interface SettingsEntry {
  readonly id: string;
  readonly definition: ServerDefinition | undefined;
  readonly problems: readonly SettingsProblem[];
}

export interface DecodedSettings {
  readonly entries: readonly SettingsEntry[];
  /** Problems that belong to no entry. */
  readonly problems: readonly SettingsProblem[];
}

/** A merged value that still knows which layer gave each member. */
export interface Traced {
  readonly value: JsonObject;
  scopeOf(path: readonly (string | number)[]): SettingsScope;
}

const SERVER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Decodes `mcpl.servers` of all layers. Entries merge key by key: a workspace's `{"memory": {"enabled": true}}`
 * enables a server that the user defined. A bad entry keeps none of the others from working.
 */
export function decodeSettings(layers: readonly SettingsLayer[]): DecodedSettings {
  const problems: SettingsProblem[] = [];
  const usable: { readonly scope: SettingsScope; readonly servers: JsonObject }[] = [];
  for (const { scope, servers } of layers) {
    if (servers === undefined || servers === null) continue;
    if (isJsonObject(servers)) usable.push({ scope, servers });
    else
      problems.push({
        path: [],
        scope,
        severity: 'error',
        message: 'Must be an object that maps server ids to entries.',
      });
  }
  const ids = [...new Set(usable.flatMap((layer) => Object.keys(layer.servers)))];
  return { entries: ids.map((id) => decodeOne(id, usable)), problems };
}

function decodeOne(
  id: string,
  layers: readonly { readonly scope: SettingsScope; readonly servers: JsonObject }[],
): SettingsEntry {
  const parts = layers.flatMap(({ scope, servers }) =>
    Object.hasOwn(servers, id) ? [{ scope, value: servers[id] ?? null }] : [],
  );
  const scope = parts.at(-1)?.scope ?? 'user';
  const fail = (message: string, where: SettingsScope = scope): SettingsEntry => ({
    id,
    definition: undefined,
    problems: [{ path: [id], scope: where, severity: 'error', message }],
  });
  if (!SERVER_ID.test(id))
    return fail(
      'A server id has 1 to 64 letters, digits, dots, hyphens or underscores and starts with a letter or digit.',
    );
  const notObject = parts.find((part) => !isJsonObject(part.value));
  if (notObject !== undefined) return fail('Must be an object such as {"command": "node"}.', notObject.scope);
  return decodeEntry(id, trace(parts));
}

interface Part {
  readonly scope: SettingsScope;
  readonly value: Json;
}

function trace(parts: readonly Part[]): Traced {
  const merged = parts.reduce<Json>((whole, part) => merge(whole, part.value), {});
  return {
    value: isJsonObject(merged) ? merged : {},
    scopeOf: (path) => {
      const giver = parts.findLast((part) => has(part.value, path));
      return giver?.scope ?? parts.at(-1)?.scope ?? 'user';
    },
  };
}

/** Objects merge member by member, everything else is replaced by the later layer. */
function merge(earlier: Json, later: Json): Json {
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  // A map without a prototype: a member called `__proto__` stays a member.
  const result: Record<string, Json> = Object.assign(Object.create(null), earlier);
  for (const [key, value] of Object.entries(later)) {
    if (value === undefined) continue;
    const before = result[key];
    result[key] = before === undefined ? value : merge(before, value);
  }
  return result;
}

function has(value: Json, path: readonly (string | number)[]): boolean {
  let at: Json | undefined = value;
  for (const step of path) {
    if (typeof step === 'number') at = Array.isArray(at) ? at[step] : undefined;
    else at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) return false;
  }
  return true;
}
