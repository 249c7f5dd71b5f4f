import { isJsonObject, type Json } from '../base/json.ts';
import type { ContributedLayer, SettingsProblem, SettingsScope } from '../model/server.ts';
import type { SettingsEntry } from './settingsEntry.ts';

interface Part {
  readonly scope: SettingsScope;
  readonly value: Json;
  readonly contributed: ContributedLayer | undefined;
}

interface Chosen {
  readonly parts: readonly Part[];
  /** The extension whose contribution is used. */
  readonly contributed: ContributedLayer | undefined;
  readonly problems: readonly SettingsProblem[];
}

/**
 * Selects the contribution of an extension for a server: at most one, and none if settings define how to reach a server
 * with this name. A contribution never enables the server.
 */
export function chooseContribution(id: string, given: readonly Part[]): Chosen {
  const settings = given.filter(({ contributed }) => contributed === undefined);
  const offers = given.filter(({ contributed }) => contributed !== undefined);
  const used = settings.some(({ value }) => hasTarget(value)) ? undefined : offers[0];
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
 * Whether new settings remove the server. A contributed server is removed with the contribution, whatever settings say
 * about its name, and must not keep running.
 */
export function isRemoved(before: SettingsEntry, after: SettingsEntry | undefined): boolean {
  if (after === undefined) return true;
  return before.contributor !== undefined && before.contributor.id !== after.contributor?.id;
}

function hasTarget(value: Json): boolean {
  return isJsonObject(value) && (value['command'] !== undefined || value['url'] !== undefined);
}

function warning(id: string, path: readonly string[], message: string, { scope, contributed }: Part): SettingsProblem {
  return { path: [id, ...path], scope, severity: 'warning', message, contributor: contributed?.by };
}
