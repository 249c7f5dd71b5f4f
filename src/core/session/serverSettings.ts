import { isDeeperThan, isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { ContributedLayer, SettingsLayer, SettingsProblem, SettingsScope } from '../model/server.ts';
import { chooseContribution } from './contributedEntry.ts';
import { type Agreed, decodeEntry, isGuardEntry } from './entryDecoder.ts';
import type { SettingsEntry, Traced } from './settingsEntry.ts';

export interface DecodedSettings {
  readonly entries: readonly SettingsEntry[];
  /** Problems outside any entry. */
  readonly problems: readonly SettingsProblem[];
}

/** A readable layer. */
interface UsableLayer {
  readonly scope: SettingsScope;
  readonly servers: JsonObject;
  readonly contributed: ContributedLayer | undefined;
}

const SERVER_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Decodes `mcpl.servers` of all layers. Entries merge key by key: a workspace's `{"memory": {"enabled": true}}` enables
 * a server that the user defined. An invalid entry does not affect the others.
 */
export function decodeSettings(
  layers: readonly SettingsLayer[],
  agreed: (id: string) => Agreed = () => () => false,
): DecodedSettings {
  const problems: SettingsProblem[] = [];
  const usable: UsableLayer[] = [];
  for (const { scope, servers, contributed } of layers) {
    for (const message of contributed?.problems ?? [])
      problems.push({ path: [], scope, severity: 'error', message, contributor: contributed?.by });
    if (servers === undefined || servers === null) continue;
    if (isJsonObject(servers)) usable.push({ scope, servers, contributed });
    else
      problems.push({
        path: [],
        scope,
        severity: 'error',
        message: 'Must be an object that maps server ids to entries.',
      });
  }
  const ids = [...new Set(usable.flatMap((layer) => Object.keys(layer.servers)))];
  return { entries: ids.map((id) => decodeOne(id, usable, agreed(id))), problems };
}

function decodeOne(id: string, layers: readonly UsableLayer[], isAgreed: Agreed): SettingsEntry {
  const given = layers.flatMap(({ scope, servers, contributed }) =>
    Object.hasOwn(servers, id) ? [{ scope, value: servers[id] ?? null, contributed }] : [],
  );
  const { parts, contributed, problems } = chooseContribution(id, given);
  const entry = decodeParts(id, parts, isAgreed);
  const label = contributed?.labels[id];
  return {
    ...entry,
    problems: [...entry.problems, ...problems],
    ...(contributed === undefined ? {} : { contributor: contributed.by }),
    ...(label === undefined ? {} : { label }),
  };
}

function decodeParts(id: string, parts: readonly Part[], isAgreed: Agreed): SettingsEntry {
  const scope = parts.at(-1)?.scope ?? 'user';
  const fail = (message: string, where: SettingsScope = scope): SettingsEntry => ({
    id,
    definition: undefined,
    problems: [{ path: [id], scope: where, severity: 'error', message, ...contributorOf(where, parts) }],
    ...(isGuardOutside(id, parts) && { isGuard: true }),
  });
  if (!SERVER_ID.test(id))
    return fail(
      'A server id has 1 to 64 letters, digits, dots, hyphens or underscores and starts with a letter or digit.',
    );
  const tooDeep = parts.find((part) => isDeeperThan(part.value));
  if (tooDeep !== undefined) return fail('Nests too deep.', tooDeep.scope);
  const notObject = parts.find((part) => !isJsonObject(part.value));
  if (notObject !== undefined) return fail('Must be an object such as {"command": "node"}.', notObject.scope);
  return decodeEntry(id, trace(parts), isAgreed);
}

/** One layer's value for one server. */
interface Part {
  readonly scope: SettingsScope;
  readonly value: Json;
  readonly contributed: ContributedLayer | undefined;
}

function isOutside({ scope }: Part): boolean {
  return scope === 'user' || scope === 'extension';
}

/** A workspace must not disable the user's guard by breaking its entry. */
function isGuardOutside(id: string, parts: readonly Part[]): boolean {
  const outside = parts.filter(isOutside).filter(({ value }) => isJsonObject(value) && !isDeeperThan(value));
  return outside.length > 0 && isGuardEntry(id, mergeAll(outside));
}

function contributorOf(scope: SettingsScope, parts: readonly Part[]): Pick<SettingsProblem, 'contributor'> {
  const by = parts.find((part) => part.scope === scope)?.contributed?.by;
  return by === undefined ? {} : { contributor: by };
}

function trace(parts: readonly Part[]): Traced {
  const outside = parts.filter(isOutside);
  return {
    ...contributorOf('extension', parts),
    value: mergeAll(parts),
    own: mergeAll(parts.filter((part) => part.scope === 'user')),
    outside: outside.length === 0 || outside.length === parts.length ? undefined : mergeAll(outside),
    scopeOf: (path) => {
      const giver = parts.findLast((part) => has(part.value, path));
      return giver?.scope ?? parts.at(-1)?.scope ?? 'user';
    },
  };
}

function mergeAll(parts: readonly Part[]): JsonObject {
  const merged = parts.reduce<Json>((whole, part) => merge(whole, part.value), {});
  return isJsonObject(merged) ? merged : {};
}

/** Merges objects member by member. Other values are replaced by the later layer. */
function merge(earlier: Json, later: Json): Json {
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  // Uses a Map, so that `__proto__` is an ordinary member.
  const result = new Map(Object.entries(earlier));
  for (const [key, value] of Object.entries(later)) {
    if (value === undefined) continue;
    const before = result.get(key);
    result.set(key, before === undefined ? value : merge(before, value));
  }
  return Object.fromEntries(result);
}

function has(value: Json, path: readonly (string | number)[]): boolean {
  let at: Json | undefined = value;
  for (const step of path) {
    if (typeof step === 'number') at = isJsonArray(at) ? at[step] : undefined;
    else at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) return false;
  }
  return true;
}
