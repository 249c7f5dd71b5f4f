import { isJsonArray, isJsonObject, type Json, jsonEquals, type JsonObject } from '../../core/index.ts';

/** Changes one member of one entry. Keeps everything else. */
export function withMember(servers: JsonObject, server: string, path: readonly string[], value: Json): JsonObject {
  return { ...servers, [server]: changed(servers[server], path, value) };
}

/** Removes a member, and the objects that this leaves empty. Returns `servers` itself if it has no such member. */
export function withoutMember(servers: JsonObject, path: readonly string[]): JsonObject | undefined {
  const [first, ...rest] = path;
  if (first === undefined || !Object.hasOwn(servers, first)) return servers;
  const member = servers[first];
  const left = rest.length > 0 && isJsonObject(member) ? withoutMember(member, rest) : undefined;
  if (rest.length > 0 && (left === member || !isJsonObject(member))) return servers;
  if (left !== undefined) return { ...servers, [first]: left };
  const others = Object.entries(servers).filter(([name]) => name !== first);
  return others.length === 0 ? undefined : Object.fromEntries(others);
}

function changed(value: Json | undefined, path: readonly string[], to: Json): JsonObject {
  const object = isJsonObject(value) ? value : {};
  const [first, ...rest] = path;
  // An existing member keeps its place.
  return first === undefined
    ? object
    : { ...object, [first]: rest.length === 0 ? to : changed(object[first], rest, to) };
}

/** The effective list at `path` of an entry: from the last layer that has one. */
export function textsInForce(
  layers: readonly JsonObject[],
  server: string,
  path: readonly string[],
): readonly string[] {
  for (const layer of [...layers].reverse()) {
    const value = [server, ...path].reduce<Json | undefined>(
      (at, step) => (isJsonObject(at) ? at[step] : undefined),
      layer,
    );
    if (isJsonArray(value)) return value.filter((item) => typeof item === 'string');
  }
  return [];
}

/**
 * The list to write at one level of settings so that `list` applies. `undefined` if the other levels alone result in it.
 * So an empty list is written only to override a list of another level.
 */
export function listToWrite(
  others: readonly JsonObject[],
  server: string,
  path: readonly string[],
  list: readonly string[],
): readonly string[] | undefined {
  return jsonEquals(textsInForce(others, server, path), list) ? undefined : list;
}

/** An object with these members changed, or removed for `undefined`. `undefined` if none is left. */
export function withMembers(
  there: Json | undefined,
  members: Readonly<Record<string, Json | undefined>>,
): JsonObject | undefined {
  const all = Object.entries({ ...(isJsonObject(there) ? there : {}), ...members });
  const left = all.filter(([, value]) => value !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Adds or removes `item`, keeping the order. */
export function withItem(list: readonly string[], item: string, present: boolean): readonly string[] {
  if (!present) return list.filter((other) => other !== item);
  return list.includes(item) ? list : [...list, item];
}
