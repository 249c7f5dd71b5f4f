import { canonicalJson, type JsonObject, parseJson } from '../base/json.ts';
import type { Weakening } from '../model/settingRules.ts';
import type { Contributor, ServerDefinition, SettingsProblem, SettingsScope } from '../model/server.ts';

/** One entry of the merged settings: runnable, or with the problems that prevent it. */
export interface SettingsEntry {
  readonly id: string;
  readonly definition: ServerDefinition | undefined;
  readonly problems: readonly SettingsProblem[];
  /** The extension that contributes it, and its display name there. */
  readonly contributor?: Contributor | undefined;
  readonly label?: string | undefined;
  /** Workspace values that would weaken user values, until the user agrees. */
  readonly weakenings?: readonly Weakening[] | undefined;
  /** User settings make it see every answer, whatever the workspace says and even if the entry has an error. */
  readonly isGuard?: boolean | undefined;
  /** The rule of the editor's policy that forbids it. */
  readonly refusal?: string | undefined;
}

export function sameEntry(a: SettingsEntry, b: SettingsEntry): boolean {
  return textOf(a) === textOf(b);
}

function textOf(entry: SettingsEntry): string {
  return canonicalJson(parseJson(JSON.stringify(entry)));
}

/** A merged value with the layer of each member. */
export interface Traced {
  readonly value: JsonObject;
  /** The value from user layers alone. */
  readonly own: JsonObject;
  /** The value from all layers except the workspace. Absent if the workspace contributes nothing, or everything. */
  readonly outside?: JsonObject | undefined;
  /** The extension behind members with the scope `extension`. */
  readonly contributor?: Contributor | undefined;
  scopeOf(path: readonly (string | number)[]): SettingsScope;
}
