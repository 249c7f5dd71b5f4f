import { type FeatureSetSettings, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';

/** `servers` with one member of one entry changed (or, by `undefined`, taken out), and everything else as it was. */
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
  // No empty object stays behind in a file that had nothing of ours before.
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function changed(value: Json | undefined, path: readonly string[], to: Json | undefined): JsonObject {
  const object = isJsonObject(value) ? value : {};
  const [first, ...rest] = path;
  if (first === undefined) return object;
  const member = rest.length === 0 ? to : nonEmpty(changed(object[first], rest, to));
  const others = Object.entries(object).filter(([name]) => name !== first);
  if (member === undefined) return Object.fromEntries(others);
  // In place, so that the file's order stays what its writer chose.
  if (first in object)
    return Object.fromEntries(Object.entries(object).map(([name, old]) => [name, name === first ? member : old]));
  return Object.fromEntries([...others, [first, member]]);
}

function nonEmpty(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}

/** The list of texts that is in force at `path` of an entry: the last layer that has one. */
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

/** `featureSets` of an entry with these lists; an empty one is written only where it takes something back. */
export function withChosen(there: Json | undefined, before: FeatureSetSettings, after: FeatureSetSettings): JsonObject {
  const disabled = before.disabled.length > 0 || after.disabled.length > 0 ? { disabled: [...after.disabled] } : {};
  return { ...(isJsonObject(there) ? there : {}), enabled: [...after.enabled], ...disabled };
}

/** `list` with or without `item`, in the order it had. */
export function withItem(list: readonly string[], item: string, present: boolean): readonly string[] {
  if (!present) return list.filter((other) => other !== item);
  return list.includes(item) ? list : [...list, item];
}
