import { canonicalJson, type JsonObject, parseJson } from '../base/json.ts';
import type { ServerDefinition, SettingsProblem, SettingsScope } from '../model/server.ts';

/** One entry of the merged settings: runnable, or only the problems that keep it from running. */
export interface SettingsEntry {
  readonly id: string;
  readonly definition: ServerDefinition | undefined;
  readonly problems: readonly SettingsProblem[];
}

export function sameEntry(a: SettingsEntry, b: SettingsEntry): boolean {
  return textOf(a) === textOf(b);
}

function textOf(entry: SettingsEntry): string {
  return canonicalJson(parseJson(JSON.stringify(entry)));
}

/** A merged value that still knows which layer gave each member. */
export interface Traced {
  readonly value: JsonObject;
  /** What the user's own layers alone make of it. */
  readonly own: JsonObject;
  scopeOf(path: readonly (string | number)[]): SettingsScope;
}
