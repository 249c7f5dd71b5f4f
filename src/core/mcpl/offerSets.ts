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
  if (mcpl === undefined || mcpl.sets.length + mcpl.withdrawn.length === 0) return undefined;
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
  const same = offer.resources.filter((resource) => isSameUri(resource.uri, uri));
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
  const resource = offer.resources.find((each) => isSameUri(each.uri, uri));
  const item = resource ?? offer.templates.find(({ uriTemplate }) => mayExpandTo(uriTemplate, uri));
  return item === undefined ? undefined : namedSets(item.raw)[0];
}

/** Whether a URI names a file: `file:` anywhere in it, or no scheme at all. */
export function namesFile(uri: string): boolean {
  const plain = decoded(uri);
  return /(?:^|[^a-z0-9])file:/i.test(plain) || !/^[a-z][a-z0-9+.-]+:/i.test(plain);
}

/** Case, percent-encoding, a fragment, dot segments, and slashes that repeat or come last make no other resource. */
function isSameUri(one: string, other: string): boolean {
  if (one === other) return true;
  const spelled = spellings(other);
  return spellings(one).some((each) => spelled.includes(each));
}

/** As read by a server that takes the authority for a segment of the path, and by one that does not. */
function spellings(uri: string): readonly string[] {
  const text = decoded(uri.replace(/#.*$/s, '')).toLowerCase().replaceAll('\\', '/');
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*:/.exec(text) ?? [];
  const segments = text.slice(scheme.length).split('/');
  return [0, 1].map((kept) => `${scheme}${withoutDots(segments, kept)}`);
}

function withoutDots(segments: readonly string[], kept: number): string {
  const path: string[] = [];
  for (const segment of segments) {
    if (segment === '..') path.splice(Math.max(kept, path.length - 1));
    else if (segment !== '' && segment !== '.') path.push(segment);
  }
  return path.join('/');
}

/** Stands for an expression of a template while the text around it is read. */
const EXPRESSION = '\u{f8ff}';

/** The literal parts of the template appear in the URI, in one of its spellings, in their order, from its beginning. */
function mayExpandTo(uriTemplate: string, uri: string): boolean {
  const template = uriTemplate.replace(/\{[^}]*\}/g, EXPRESSION);
  const texts = [decoded(uri).toLowerCase(), ...spellings(uri)];
  return [decoded(template).toLowerCase(), ...spellings(template)].some((form) => {
    const parts = form.split(EXPRESSION);
    return texts.some((text) => contains(text, parts));
  });
}

function contains(text: string, parts: readonly string[]): boolean {
  if (!text.startsWith(parts[0] ?? '')) return false;
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

/** More layers of percent-encoding are left as they are. */
const MOST_LAYERS = 4;

/** Without percent-encoding, and without the control characters that readers of URIs skip. */
function decoded(uri: string): string {
  let text = uri;
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const next = text.replace(/(?:%[0-9a-f]{2})+/gi, decodedRun);
    if (next === text) break;
    text = next;
  }
  return text
    .replace(/\p{Cc}/gu, '')
    .trim()
    .normalize('NFC');
}

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replace(/%[0-7][0-9a-f]/gi, (byte) => decodeURIComponent(byte));
  }
}
