import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Resource, ResourceTemplate } from '../model/catalog.ts';
import type { McplSnapshot } from '../model/mcpl.ts';

/** What a server lists, tools aside. */
export interface ListedOffer {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** The feature sets that a listed item names, in all places that servers use. All of them count. */
export function namedSets({ _meta: meta, featureSet }: JsonObject): readonly string[] {
  const { featureSet: own, 'mcpl/featureSet': prefixed } = isJsonObject(meta) ? meta : {};
  const names = [own, prefixed, featureSet].filter((name) => typeof name === 'string').filter((name) => name !== '');
  return [...new Set(names)];
}

/** The set that keeps a listed item from being used. A named set that is not declared is never on. */
export function setOffOf({ raw }: { readonly raw: JsonObject }, mcpl: McplSnapshot | undefined): string | undefined {
  if (mcpl === undefined || mcpl.sets.length === 0) return undefined;
  return namedSets(raw).find((name) => !isSetOn(name, mcpl));
}

export function isSetOn(name: string, mcpl: McplSnapshot | undefined): boolean {
  return mcpl?.sets.some(({ set, state }) => set.name === name && state === 'enabled') === true;
}

/**
 * The set that keeps a URI from being read: of the resource itself, in any spelling, or of a template that may expand to
 * it. A template counts less than the resource that is listed under exactly this URI.
 */
export function setOffOfUri(uri: string, offer: ListedOffer, mcpl: McplSnapshot | undefined): string | undefined {
  const same = offer.resources.filter((resource) => spelling(resource.uri) === spelling(uri));
  for (const resource of same) {
    const off = setOffOf(resource, mcpl);
    if (off !== undefined) return off;
  }
  if (same.some((resource) => resource.uri === uri)) return undefined;
  for (const template of offer.templates) {
    const off = setOffOf(template, mcpl);
    if (off !== undefined && mayExpandTo(template.uriTemplate, uri)) return off;
  }
  return undefined;
}

/** The set that a listed resource or template names for a URI, for the scope lists. */
export function setOfUri(uri: string, offer: ListedOffer): string | undefined {
  const resource = offer.resources.find((each) => spelling(each.uri) === spelling(uri));
  const item = resource ?? offer.templates.find(({ uriTemplate }) => mayExpandTo(uriTemplate, uri));
  return item === undefined ? undefined : namedSets(item.raw)[0];
}

/** Whether a URI names a file: `file:` anywhere in it, or no scheme at all. */
export function namesFile(uri: string): boolean {
  const plain = decoded(uri).trim();
  return /(?:^|[^a-z0-9])file:/i.test(plain) || !/^[a-z][a-z0-9+.-]+:/i.test(plain);
}

/** Case, percent-encoding and a final slash make no other resource. */
function spelling(uri: string): string {
  return decoded(uri).trim().toLowerCase().replace(/\/+$/, '');
}

/** The literal parts of the template appear in the URI in their order, from its beginning. */
function mayExpandTo(uriTemplate: string, uri: string): boolean {
  const parts = uriTemplate.split(/\{[^}]*\}/).map((part) => decoded(part).toLowerCase());
  const text = decoded(uri).trim().toLowerCase();
  if (!text.startsWith(parts[0] ?? '')) return false;
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

function decoded(uri: string): string {
  return uri.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
