import { isJsonObject, type Json } from '../base/json.ts';
import type { ContributedLayer, SettingsProblem, SettingsScope } from '../model/server.ts';
import type { SettingsEntry } from './settingsEntry.ts';

interface Part {
  readonly scope: SettingsScope;
  readonly value: Json;
  readonly contributed: ContributedLayer | undefined;
}

export interface Chosen {
  readonly parts: readonly Part[];
  /** Whose contribution is among the parts. */
  readonly contributed: ContributedLayer | undefined;
  readonly problems: readonly SettingsProblem[];
}

/**
 * What of the contributions of extensions counts for one server: one at the most, and none where the settings say
 * themselves how to reach a server of that name. It is never the contribution that switches the server on.
 */
export function chooseContribution(id: string, given: readonly Part[]): Chosen {
  const settings = given.filter(({ contributed }) => contributed === undefined);
  const offers = given.filter(({ contributed }) => contributed !== undefined);
  const used = settings.some(({ value }) => saysHowToReach(value)) ? undefined : offers[0];
  const winner = used?.contributed?.by.name;
  const why =
    winner === undefined
      ? 'The settings define a server with this name: the one of the extension is not used.'
      : `Another extension, "${winner}", contributes a server of this name: that one is used.`;
  const problems = offers.filter((offer) => offer !== used).map((offer) => warning(id, [], why, offer));
  if (used === undefined) return { parts: settings, contributed: undefined, problems };
  const { enabled, ...offered } = isJsonObject(used.value) ? used.value : {};
  const part = isJsonObject(used.value) ? { ...used, value: offered } : used;
  const switchedOn = 'An extension cannot enable a server: only you can, in the settings.';
  if (enabled !== undefined && enabled !== false) problems.push(warning(id, ['enabled'], switchedOn, used));
  return { parts: [part, ...settings], contributed: used.contributed, problems };
}

/**
 * Whether the server of an entry is gone with new settings. What an extension contributed is gone as soon as that
 * extension no longer does, whatever the settings say of its name: it must not run on.
 */
export function hasLeft(before: SettingsEntry, after: SettingsEntry | undefined): boolean {
  if (after === undefined) return true;
  return before.contributor !== undefined && before.contributor.id !== after.contributor?.id;
}

function saysHowToReach(value: Json): boolean {
  return isJsonObject(value) && (value['command'] !== undefined || value['url'] !== undefined);
}

function warning(id: string, path: readonly string[], message: string, { scope, contributed }: Part): SettingsProblem {
  return { path: [id, ...path], scope, severity: 'warning', message, contributor: contributed?.by };
}
