import { showHidden, withoutHidden } from '../base/hiddenText.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/**
 * Clients pass what they read to models. Hidden characters are therefore removed from names, descriptions and
 * instructions, and made visible elsewhere. Structured content stays unchanged.
 */

/** Members that only clients read, not models. */
const OF_CLIENTS: ReadonlySet<string> = new Set(['_meta', 'icons', 'structuredContent', 'state']);

/** Skips bytes and `_meta` in the blocks of a result. In a schema, every key may be a property name. */
function isRead(object: JsonObject, name: string, { isWhole, withNames }: ReadContext): boolean {
  if (isWhole) return !OF_CLIENTS.has(name);
  if (withNames) return true;
  if (name === 'blob') return !('uri' in object);
  return name !== '_meta' && (name !== 'data' || (object['type'] !== 'image' && object['type'] !== 'audio'));
}

interface ReadContext {
  /** Whether this is the whole definition or result, rather than a part. */
  readonly isWhole: boolean;
  /** Whether to change member names too. */
  readonly withNames: boolean;
}

/** A server's content as a client's model reads it. Returns the same object if it has no hidden characters. */
export function shownContent<T extends Json>(value: T): T | Json {
  return mapRead(value, showHidden, { isWhole: true, withNames: false });
}

const definitions = new WeakMap<JsonObject, JsonObject>();

/** Removes hidden characters from a definition, including member names. Cached, because lists are read often. */
export function cleanDefinition(raw: JsonObject): JsonObject {
  const known = definitions.get(raw);
  if (known !== undefined) return known;
  const mapped = mapRead(raw, withoutHidden, { isWhole: true, withNames: true });
  const clean = isJsonObject(mapped) ? mapped : raw;
  definitions.set(raw, clean);
  return clean;
}

function mapRead(value: Json, change: (text: string) => string, context: ReadContext): Json {
  if (typeof value === 'string') return change(value);
  const inside = { ...context, isWhole: false };
  if (isJsonArray(value)) {
    const items = value.map((item) => mapRead(item, change, inside));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let isSame = true;
  const members: [string, Json | undefined][] = [];
  for (const name of Object.keys(value)) {
    // Skips lazily read members, because checking one would parse it.
    if (!isRead(value, name, context)) continue;
    const member = value[name];
    const after = member === undefined ? undefined : mapRead(member, change, inside);
    const newName = context.withNames ? change(name) : name;
    isSame &&= after === member && newName === name;
    members.push([newName, after]);
  }
  if (isSame) return value;
  const kept = Object.keys(value).filter((name) => !isRead(value, name, context));
  return Object.fromEntries([...members, ...kept.map((name) => [name, value[name]] as const)]);
}

/** Maps the names and URIs that clients see to the real ones. */
export class ShownNames {
  readonly #real = new Map<string, string>();

  shown(name: string): string {
    const clean = withoutHidden(name);
    if (clean !== name) this.#real.set(clean, name);
    // An older list may have shown another item under this name.
    else this.#real.delete(name);
    return clean;
  }

  /** Drops items whose visible name is not unique, because clients could not distinguish them. */
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
