import { withoutHidden } from '../base/hiddenText.ts';
import type { JsonObject } from '../base/json.ts';
import type { Icon, Prompt, Resource, ResourceTemplate } from '../model/catalog.ts';
import type { ServerSnapshot } from '../model/server.ts';
import { cleanDefinition, type ShownNames } from './shownText.ts';
import { wellFormedPrompt, wellFormedResource } from './wellFormedOffer.ts';

/**
 * Whether clients see the server's lists. They stay visible during a restart: a chat would otherwise lose them in the
 * middle of a turn. Requests during the restart get an error with the next step.
 */
export function isListed(snapshot: ServerSnapshot | undefined): snapshot is ServerSnapshot {
  const kind = snapshot?.state.kind;
  return kind === 'running' || kind === 'starting' || kind === 'restarting';
}

export function listedPrompts(snapshot: ServerSnapshot | undefined, names: ShownNames): readonly JsonObject[] {
  if (!isListed(snapshot)) return [];
  return names.distinct(snapshot.prompts, ({ name }) => name).map((prompt) => describePrompt(prompt, names));
}

export function listedResources(snapshot: ServerSnapshot | undefined, names: ShownNames): readonly JsonObject[] {
  if (!isListed(snapshot)) return [];
  return names.distinct(snapshot.resources, ({ uri }) => uri).map((resource) => describeResource(resource, names));
}

export function listedTemplates(snapshot: ServerSnapshot | undefined, names: ShownNames): readonly JsonObject[] {
  if (!isListed(snapshot)) return [];
  const all = names.distinct(snapshot.templates, ({ uriTemplate }) => uriTemplate);
  return all.map((template) => describeTemplate(template, names));
}

/** Only forwards icons with safe addresses (MCP 2025-11-25 "Icons"). */
export function iconsJson(icons: readonly Icon[]): JsonObject {
  return icons.length === 0 ? {} : { icons: icons.map(iconJson) };
}

function describePrompt({ raw, name, icons }: Prompt, names: ShownNames): JsonObject {
  return { ...wellFormedPrompt(cleanDefinition(raw)), name: names.shown(name), ...iconsJson(icons) };
}

function describeResource({ raw, uri, name, icons }: Resource, names: ShownNames): JsonObject {
  const shown = { uri: names.shown(uri), name: withoutHidden(name) };
  return { ...wellFormedResource(cleanDefinition(raw)), ...shown, ...iconsJson(icons) };
}

function describeTemplate({ raw, uriTemplate, name, icons }: ResourceTemplate, names: ShownNames): JsonObject {
  const shown = { uriTemplate: names.shown(uriTemplate), name: withoutHidden(name) };
  return { ...wellFormedResource(cleanDefinition(raw)), ...shown, ...iconsJson(icons) };
}

function iconJson({ src, mimeType, sizes, theme }: Icon): JsonObject {
  return { src, mimeType, ...(sizes.length === 0 ? {} : { sizes: [...sizes] }), theme };
}
