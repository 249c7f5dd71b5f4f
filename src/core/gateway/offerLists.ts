import type { JsonObject } from '../base/json.ts';
import type { Icon, Prompt, Resource, ResourceTemplate } from '../model/catalog.ts';
import type { ServerSnapshot } from '../model/server.ts';
import { wellFormedPrompt, wellFormedResource } from './wellFormedOffer.ts';

/**
 * Whether a client sees what there is. A server that is coming back by itself keeps its lists: a chat would otherwise
 * lose them in the middle of a turn, and a request in between is answered with what to do.
 */
export function isListed(snapshot: ServerSnapshot | undefined): snapshot is ServerSnapshot {
  const kind = snapshot?.state.kind;
  return kind === 'running' || kind === 'starting' || kind === 'restarting';
}

export function listedPrompts(snapshot: ServerSnapshot | undefined): readonly JsonObject[] {
  return isListed(snapshot) ? snapshot.prompts.map(describePrompt) : [];
}

export function listedResources(snapshot: ServerSnapshot | undefined): readonly JsonObject[] {
  return isListed(snapshot) ? snapshot.resources.map(describeResource) : [];
}

export function listedTemplates(snapshot: ServerSnapshot | undefined): readonly JsonObject[] {
  return isListed(snapshot) ? snapshot.templates.map(describeTemplate) : [];
}

/** Of icons only those with harmless addresses go on (MCP 2025-11-25 "Icons"). */
export function iconsJson(icons: readonly Icon[]): JsonObject {
  return icons.length === 0 ? {} : { icons: icons.map(iconJson) };
}

function describePrompt({ raw, name, icons }: Prompt): JsonObject {
  return { ...wellFormedPrompt(raw), name, ...iconsJson(icons) };
}

function describeResource({ raw, uri, name, icons }: Resource): JsonObject {
  return { ...wellFormedResource(raw), uri, name, ...iconsJson(icons) };
}

function describeTemplate({ raw, uriTemplate, name, icons }: ResourceTemplate): JsonObject {
  return { ...wellFormedResource(raw), uriTemplate, name, ...iconsJson(icons) };
}

function iconJson({ src, mimeType, sizes, theme }: Icon): JsonObject {
  return { src, mimeType, ...(sizes.length === 0 ? {} : { sizes: [...sizes] }), theme };
}
