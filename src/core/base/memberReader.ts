import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts';

/** Something has an invalid form. The message says what, for its author. */
export class Malformed extends Error {}

interface Range {
  readonly least?: number;
  readonly most?: number;
}

/**
 * Reads the members of an object in a format of this host, such as a stored record or a control command. Throws
 * `Malformed` for a missing or invalid member. Messages of servers are read by `wire/members.ts`, which ignores invalid
 * members instead, because servers differ from the specification.
 */
export class MemberReader {
  readonly #value: JsonObject;

  constructor(value: JsonObject) {
    this.#value = value;
  }

  /** An unchecked member. */
  json(name: string): Json | undefined {
    return this.#value[name];
  }

  has(name: string): boolean {
    return this.#value[name] !== undefined;
  }

  text(name: string): string {
    const value = this.#value[name];
    if (typeof value !== 'string') throw new Malformed(`"${name}" must be a text.`);
    return value;
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined;
  }

  number(name: string): number {
    const value = this.#value[name];
    if (typeof value !== 'number') throw new Malformed(`"${name}" must be a number.`);
    return value;
  }

  optionalNumber(name: string): number | undefined {
    return this.has(name) ? this.number(name) : undefined;
  }

  count(name: string, range: Range = {}): number {
    const value = this.optionalCount(name, range);
    if (value === undefined) throw new Malformed(`"${name}" is missing: a whole number.`);
    return value;
  }

  optionalCount(name: string, { least = 0, most }: Range = {}): number | undefined {
    const value = this.#value[name];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= (most ?? value))
      return value;
    throw new Malformed(`"${name}" must be a whole number from ${least} ${most === undefined ? 'on' : `to ${most}`}.`);
  }

  flag(name: string): boolean {
    const value = this.#value[name];
    if (typeof value !== 'boolean') throw new Malformed(`"${name}" must be true or false.`);
    return value;
  }

  optionalFlag(name: string): boolean | undefined {
    return this.has(name) ? this.flag(name) : undefined;
  }

  choice<const T extends string>(name: string, choices: readonly T[]): T {
    const chosen = choices.find((known) => known === this.#value[name]);
    if (chosen === undefined) throw new Malformed(`"${name}" must be one of ${choices.join(', ')}.`);
    return chosen;
  }

  textList(name: string): readonly string[] {
    const value = this.#value[name];
    if (!isJsonArray(value)) throw new Malformed(`"${name}" must be a list of texts.`);
    return value.map((item) => {
      if (typeof item !== 'string') throw new Malformed(`"${name}" must be a list of texts.`);
      return item;
    });
  }

  object(name: string): JsonObject | undefined {
    const value = this.#value[name];
    if (value !== undefined && !isJsonObject(value)) throw new Malformed(`"${name}" must be an object.`);
    return value;
  }

  /** A reader of the members of an object. */
  members(name: string): MemberReader | undefined {
    const value = this.object(name);
    return value && new MemberReader(value);
  }

  /** An object of texts, such as the arguments of a prompt. Empty if it is missing. */
  textMembers(name: string): Readonly<Record<string, string>> {
    const members = Object.entries(this.object(name) ?? {}).map(([key, value]): [string, string] => {
      if (typeof value !== 'string') throw new Malformed(`"${key}" in "${name}" must be a text.`);
      return [key, value];
    });
    return Object.fromEntries(members);
  }
}
