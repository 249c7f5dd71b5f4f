import type { JsonObject } from '../base/json.ts';
import type { ServerDefinition, SettingsProblem, SettingsScope } from '../model/server.ts';

/** One entry of the merged settings: runnable, or only the problems that keep it from running. */
export interface SettingsEntry {
  readonly id: string;
  readonly definition: ServerDefinition | undefined;
  readonly problems: readonly SettingsProblem[];
}

/** A merged value that still knows which layer gave each member. */
export interface Traced {
  readonly value: JsonObject;
  /** What the user's own layers alone make of it. */
  readonly own: JsonObject;
  scopeOf(path: readonly (string | number)[]): SettingsScope;
}
