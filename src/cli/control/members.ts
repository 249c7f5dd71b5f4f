import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';
import type { CommandId } from './controlCommands.ts';

/** A command with an invalid member. */
export class Malformed extends Error {}

export function text(line: JsonObject, name: string): string {
  const value = line[name];
  if (typeof value !== 'string') throw new Malformed(`"${name}" must be a text.`);
  return value;
}

export function optionalText(line: JsonObject, name: string): string | undefined {
  return line[name] === undefined ? undefined : text(line, name);
}

export function object(line: JsonObject, name: string): JsonObject | undefined {
  const value = line[name];
  if (value !== undefined && !isJsonObject(value)) throw new Malformed(`"${name}" must be an object.`);
  return value;
}

/** An object of texts, such as the arguments of a prompt. */
export function texts(line: JsonObject, name: string): Readonly<Record<string, string>> {
  const members = Object.entries(object(line, name) ?? {}).map(([key, value]): [string, string] => {
    if (typeof value !== 'string') throw new Malformed(`"${key}" in "${name}" must be a text.`);
    return [key, value];
  });
  return Object.fromEntries(members);
}

export function isId(value: Json | undefined): value is CommandId {
  return typeof value === 'string' || typeof value === 'number';
}

export function textList(line: JsonObject, name: string): readonly string[] {
  const value = line[name];
  if (!isJsonArray(value)) throw new Malformed(`"${name}" must be a list of texts.`);
  return value.map((item) => {
    if (typeof item !== 'string') throw new Malformed(`"${name}" must be a list of texts.`);
    return item;
  });
}

export function flag(line: JsonObject, name: string): boolean {
  const value = line[name];
  if (typeof value !== 'boolean') throw new Malformed(`"${name}" must be true or false.`);
  return value;
}

export function optionalFlag(line: JsonObject, name: string): boolean | undefined {
  return line[name] === undefined ? undefined : flag(line, name);
}

export function optionalCount(line: JsonObject, name: string, { least = 0, most }: Range = {}): number | undefined {
  const value = line[name];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= (most ?? value))
    return value;
  throw new Malformed(`"${name}" must be a whole number from ${least} ${most === undefined ? 'on' : `to ${most}`}.`);
}

export function count(line: JsonObject, name: string, range: Range = {}): number {
  const value = optionalCount(line, name, range);
  if (value === undefined) throw new Malformed(`"${name}" is missing: a whole number.`);
  return value;
}

interface Range {
  readonly least?: number;
  readonly most?: number;
}

export function choice<const T extends string>(line: JsonObject, name: string, choices: readonly T[]): T {
  const chosen = choices.find((known) => known === line[name]);
  if (chosen === undefined) throw new Malformed(`"${name}" must be one of ${choices.join(', ')}.`);
  return chosen;
}
