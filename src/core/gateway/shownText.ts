import { showHidden, withoutHidden } from '../base/hiddenText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/*
 * Clients hand what they read to models. Hidden characters are taken out of names, descriptions and instructions, and
 * shown in everything else. Structured content stays as it came.
 */

/** Members of a definition or a result that no model reads: they are for the client. */
const OF_CLIENTS: ReadonlySet<string> = new Set(['_meta', 'icons', 'structuredContent', 'state']);

/** Of the blocks in a result, bytes and `_meta`. In a schema, every name can be the name of a property. */
function isRead(object: JsonObject, name: string, { isWhole, withNames }: Place): boolean {
  if (isWhole) return !OF_CLIENTS.has(name);
  if (withNames) return true;
  if (name === 'blob') return !('uri' in object);
  return name !== '_meta' && (name !== 'data' || (object['type'] !== 'image' && object['type'] !== 'audio'));
}

interface Place {
  /** The definition or result itself, and no part of it. */
  readonly isWhole: boolean;
  /** Names of members change too. */
  readonly withNames: boolean;
}

/** Content of a server as a client's model reads it; the same object if it has no hidden characters. */
export function shownContent<T extends Json>(value: T): T | Json {
  return mapRead(value, showHidden, { isWhole: true, withNames: false });
}

const definitions = new WeakMap<JsonObject, JsonObject>();

/** A definition without hidden characters, names of members included. Lists are asked for again and again. */
export function cleanDefinition(raw: JsonObject): JsonObject {
  const known = definitions.get(raw);
  if (known !== undefined) return known;
  const mapped = mapRead(raw, withoutHidden, { isWhole: true, withNames: true });
  const clean = isJsonObject(mapped) ? mapped : raw;
  definitions.set(raw, clean);
  return clean;
}

function mapRead(value: Json, change: (text: string) => string, place: Place): Json {
  if (typeof value === 'string') return change(value);
  const inside = { ...place, isWhole: false };
  if (isJsonArray(value)) {
    const items = value.map((item) => mapRead(item, change, inside));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let isSame = true;
  const members: [string, Json | undefined][] = [];
  for (const name of Object.keys(value)) {
    // Looking at what was left unread would read it.
    if (!isRead(value, name, place)) continue;
    const member = value[name];
    const after = member === undefined ? undefined : mapRead(member, change, inside);
    const newName = place.withNames ? change(name) : name;
    isSame &&= after === member && newName === name;
    members.push([newName, after]);
  }
  if (isSame) return value;
  const kept = Object.keys(value).filter((name) => !isRead(value, name, place));
  return Object.fromEntries([...members, ...kept.map((name) => [name, value[name]] as const)]);
}

/** Names and addresses as clients read them, and what they are called really. */
export class ShownNames {
  readonly #real = new Map<string, string>();

  shown(name: string): string {
    const clean = withoutHidden(name);
    if (clean !== name) this.#real.set(clean, name);
    // An earlier list may have had another item that was shown under this name.
    else this.#real.delete(name);
    return clean;
  }

  /** Those whose name no other one has: a client could not tell them apart. */
  distinct<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
    const odd = items.filter((item) => withoutHidden(nameOf(item)) !== nameOf(item));
    if (odd.length === 0) return items;
    const taken = new Set(items.filter((item) => !odd.includes(item)).map(nameOf));
    const left = new Set<T>();
    for (const item of odd) {
      const clean = withoutHidden(nameOf(item));
      if (taken.has(clean) || clean === '') left.add(item);
      taken.add(clean);
    }
    return items.filter((item) => !left.has(item));
  }

  real(name: string): string {
    return this.#real.get(name) ?? name;
  }
}
