import { isJsonArray, isJsonObject, type Json, type JsonObject, MAX_DEPTH } from '../base/json.ts';
import type { Ids } from '../ports.ts';

/** Maximum characters to hash, which takes a fraction of a millisecond. */
const MAX_CHARACTERS = 32_768;
/** Sorting more member names would take longer than the rest. */
const MAX_MEMBERS = 4_096;
const DIGEST_LENGTH = 16;

/** The start of the SHA-256 of the arguments as canonical JSON. For large arguments, covers only their start. */
export function argumentDigest(args: JsonObject, ids: Pick<Ids, 'sha256'>): string {
  const writer = new CanonicalStart();
  writer.write(args);
  const digest = ids.sha256(writer.text).slice(0, DIGEST_LENGTH);
  return writer.isWhole ? digest : `${digest} (of their beginning)`;
}

/** Canonical JSON up to a length and depth, so that the work is bounded. */
class CanonicalStart {
  #text = '';
  #isWhole = true;
  #depth = 0;

  get text(): string {
    return this.#text;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  write(value: Json | undefined): void {
    if (!this.#hasRoom) return;
    if (isJsonArray(value) || isJsonObject(value)) this.#writeWithin(value);
    else if (typeof value === 'string') this.#writeText(value);
    else this.#text += JSON.stringify(value ?? null);
  }

  get #hasRoom(): boolean {
    if (this.#text.length >= MAX_CHARACTERS) this.#isWhole = false;
    return this.#isWhole;
  }

  #writeWithin(value: JsonObject | readonly Json[]): void {
    if (this.#depth === MAX_DEPTH) {
      this.#isWhole = false;
      return;
    }
    this.#depth++;
    if (isJsonArray(value)) this.#writeArray(value);
    else this.#writeObject(value);
    this.#depth--;
  }

  #writeText(value: string): void {
    if (value.length > MAX_CHARACTERS) this.#isWhole = false;
    this.#text += JSON.stringify(value.slice(0, MAX_CHARACTERS));
  }

  #writeArray(items: readonly Json[]): void {
    this.#text += '[';
    for (const [index, item] of items.entries()) {
      if (!this.#hasRoom) return;
      if (index > 0) this.#text += ',';
      this.write(item);
    }
    this.#text += ']';
  }

  #writeObject(object: JsonObject): void {
    this.#text += '{';
    for (const [index, key] of this.#keysOf(object).entries()) {
      if (!this.#hasRoom) return;
      if (index > 0) this.#text += ',';
      this.#writeText(key);
      this.#text += ':';
      this.write(object[key]);
    }
    this.#text += '}';
  }

  #keysOf(object: JsonObject): readonly string[] {
    const keys: string[] = [];
    for (const key in object) {
      if (!Object.hasOwn(object, key) || object[key] === undefined) continue;
      if (keys.length === MAX_MEMBERS) {
        this.#isWhole = false;
        return [];
      }
      keys.push(key);
    }
    return keys.sort();
  }
}
