import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { SettingsProblem } from '../model/server.ts';
import type { Traced } from './settingsEntry.ts';

/** Per severity and entry, because each problem is looked up in the settings text. */
const MAX_PROBLEMS = 20;

type Path = readonly (string | number)[];

/** Reads the members of one entry and records problems. */
export class EntryReader {
  readonly problems: SettingsProblem[] = [];
  readonly #id: string;
  readonly #traced: Traced;

  constructor(id: string, traced: Traced) {
    this.#id = id;
    this.#traced = traced;
  }

  has(key: string): boolean {
    return this.#traced.value[key] !== undefined;
  }

  value(key: string): Json | undefined {
    return this.#traced.value[key];
  }

  text(path: Path, value: Json | undefined): string | undefined {
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value;
    this.fail(path, 'Must be a text that is not empty.');
    return undefined;
  }

  boolean(path: Path, value: Json | undefined): boolean | undefined {
    if (value === undefined || typeof value === 'boolean') return value;
    this.fail(path, 'Must be true or false.');
    return undefined;
  }

  wholeNumber(path: Path, value: Json | undefined, least: number, most: number): number | undefined {
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    this.fail(path, `Must be a whole number from ${least} to ${most}.`);
    return undefined;
  }

  choice<const T extends string>(path: Path, value: Json | undefined, choices: readonly T[]): T | undefined {
    if (value === undefined) return undefined;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) this.fail(path, `Must be ${choices.map((candidate) => `"${candidate}"`).join(' or ')}.`);
    return choice;
  }

  object(key: string): JsonObject | undefined {
    const value = this.value(key);
    if (value === undefined || isJsonObject(value)) return value;
    this.fail([key], 'Must be an object.');
    return undefined;
  }

  list(path: Path, value: Json | undefined): readonly Json[] | undefined {
    if (value === undefined || isJsonArray(value)) return value;
    this.fail(path, 'Must be a list of texts.');
    return undefined;
  }

  strings(path: Path, value: Json | undefined): readonly string[] {
    return (this.list(path, value) ?? []).flatMap((item, index) => {
      if (typeof item === 'string' && !item.includes('\0')) return [item];
      this.fail([...path, index], 'Must be a text.');
      return [];
    });
  }

  stringMap(key: string): Readonly<Record<string, string>> {
    const result: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.object(key) ?? {})) {
      if (typeof value === 'string' && !value.includes('\0')) result[name] = value;
      else if (typeof value === 'number' || typeof value === 'boolean') result[name] = String(value);
      else this.fail([key, name], 'Must be a text.');
    }
    return result;
  }

  warnOfOthers(path: readonly string[], given: JsonObject, known: readonly string[]): void {
    for (const key of Object.keys(given))
      if (!known.includes(key)) this.warn([...path, key], `"${key}" is not known here.`, 'key');
  }

  fail(path: Path, message: string): void {
    this.#note(path, 'error', message);
  }

  /** `at`: the key is wrong, not its value. */
  warn(path: Path, message: string, at?: 'key'): void {
    this.#note(path, 'warning', message, at);
  }

  #note(path: Path, severity: 'error' | 'warning', message: string, at?: 'key'): void {
    // Counted by severity, so that warnings do not hide an error.
    if (this.problems.filter((problem) => problem.severity === severity).length >= MAX_PROBLEMS) return;
    const scope = this.#traced.scopeOf(path);
    const { contributor } = this.#traced;
    const whose = scope === 'extension' && contributor !== undefined ? { contributor } : {};
    const where = at === undefined ? {} : { at };
    this.problems.push({ path: [this.#id, ...path], scope, severity, message, ...where, ...whose });
  }
}
