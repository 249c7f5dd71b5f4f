import { canonicalJson, type JsonObject, parseJson } from '../base/json.ts';
import type { Weakening } from '../model/settingRules.ts';
import type { Contributor, ServerDefinition, SettingsProblem, SettingsScope } from '../model/server.ts';

/** One entry of the merged settings: runnable, or only the problems that keep it from running. */
export interface SettingsEntry {
  readonly id: string;
  readonly definition: ServerDefinition | undefined;
  readonly problems: readonly SettingsProblem[];
  /** The extension that contributes it, and how that calls it. */
  readonly contributor?: Contributor | undefined;
  readonly label?: string | undefined;
  /** What the workspace would weaken of the user's own settings, as long as the user has not agreed. */
  readonly weakenings?: readonly Weakening[] | undefined;
  /** The user's own settings make it see every answer, whatever the workspace says: also where the entry has an error. */
  readonly isGuard?: boolean | undefined;
  /** The rule of the editor's policy by which it must not run. */
  readonly refusal?: string | undefined;
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
  /** What all layers but the workspace's make of it; absent where the workspace says nothing, or all of it. */
  readonly outside?: JsonObject | undefined;
  /** Whose the members of the scope `extension` are. */
  readonly contributor?: Contributor | undefined;
  scopeOf(path: readonly (string | number)[]): SettingsScope;
}
