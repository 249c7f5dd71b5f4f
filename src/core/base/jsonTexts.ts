import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';

/** Changes every text in the value, including member names. Returns the same object if nothing changes. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (isJsonArray(value)) return mapItems(value, change);
  return isJsonObject(value) ? mapObject(value, change) : value;
}

export function mapObject(object: JsonObject, change: (text: string) => string): JsonObject {
  let members: [string, Json | undefined][] | undefined;
  const names = Object.keys(object);
  for (const [index, name] of names.entries()) {
    const member = object[name];
    const newName = change(name);
    const newMember = member === undefined ? undefined : mapTexts(member, change);
    if (members === undefined && newName === name && newMember === member) continue;
    members ??= names.slice(0, index).map((earlier) => [earlier, object[earlier]]);
    members.push([newName, newMember]);
  }
  return members === undefined ? object : Object.fromEntries(members);
}

function mapItems(items: readonly Json[], change: (text: string) => string): readonly Json[] {
  let changed: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    const after = mapTexts(item, change);
    if (after === item) continue;
    changed ??= [...items];
    changed[index] = after;
  }
  return changed ?? items;
}
