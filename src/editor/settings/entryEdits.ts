import { type FeatureSetSettings, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** Changes one member of one entry, or removes it for `undefined`. Keeps everything else. */
export function withMember(
  servers: JsonObject,
  server: string,
  path: readonly string[],
  value: Json | undefined,
): JsonObject {
  return { ...servers, [server]: changed(servers[server], path, value) };
}

export function withoutEntry(servers: JsonObject, server: string): JsonObject | undefined {
  const rest = Object.entries(servers).filter(([id]) => id !== server);
  // Leaves no empty object behind.
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function changed(value: Json | undefined, path: readonly string[], to: Json | undefined): JsonObject {
  const object = isJsonObject(value) ? value : {};
  const [first, ...rest] = path;
  if (first === undefined) return object;
  const member = rest.length === 0 ? to : nonEmpty(changed(object[first], rest, to));
  const others = Object.entries(object).filter(([name]) => name !== first);
  if (member === undefined) return Object.fromEntries(others);
  // Keeps the order of the file.
  if (first in object)
    return Object.fromEntries(Object.entries(object).map(([name, old]) => [name, name === first ? member : old]));
  return Object.fromEntries([...others, [first, member]]);
}

function nonEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
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

/** `featureSets` with these lists. Writes an empty list only to remove entries. */
export function withChosen(there: Json | undefined, before: FeatureSetSettings, after: FeatureSetSettings): JsonObject {
  const disabled = before.disabled.length > 0 || after.disabled.length > 0 ? { disabled: [...after.disabled] } : {};
  return { ...(isJsonObject(there) ? there : {}), enabled: [...after.enabled], ...disabled };
}

/** Adds or removes `item`, keeping the order. */
export function withItem(list: readonly string[], item: string, present: boolean): readonly string[] {
  if (!present) return list.filter((other) => other !== item);
  return list.includes(item) ? list : [...list, item];
}
