import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Resource, ResourceTemplate } from '../model/catalog.ts';
import type { McplSnapshot } from '../model/mcpl.ts';

/** Listed items of a server other than tools. */
export interface ListedOffer {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
}

/** The feature sets that a listed item names, in every place that servers use. All of them apply. */
export function namedSets({ _meta: meta, featureSet }: JsonObject): readonly string[] {
  const { featureSet: own, 'mcpl/featureSet': prefixed } = isJsonObject(meta) ? meta : {};
  const names = [own, prefixed, featureSet].filter((name) => typeof name === 'string').filter((name) => name !== '');
  return [...new Set(names)];
}

/** The set that is off and blocks a listed item. A named set that is not declared is never on. */
export function setOffOf({ raw }: { readonly raw: JsonObject }, mcpl: McplSnapshot | undefined): string | undefined {
  if (mcpl === undefined || mcpl.sets.length + mcpl.withdrawn.length === 0) return undefined;
  return namedSets(raw).find((name) => !isSetOn(name, mcpl));
}

export function isSetOn(name: string, mcpl: McplSnapshot | undefined): boolean {
  return mcpl?.sets.some(({ set, state }) => set.name === name && state === 'enabled') === true;
}

/**
 * The set that is off and blocks a URI: the set of the resource itself, in any spelling, or of a template that may
 * expand to it. A resource listed under exactly this URI takes precedence over templates.
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
export function namesFileUri(uri: string): boolean {
  const plain = decoded(uri);
  return /(?:^|[^a-z0-9])file:/i.test(plain) || !/^[a-z][a-z0-9+.-]+:/i.test(plain);
}

/**
 * Case, percent-encoding, a fragment, dot segments, and repeated or trailing slashes do not identify another resource.
 */
function isSameUri(one: string, other: string): boolean {
  if (one === other) return true;
  const spelled = spellings(other);
  return spellings(one).some((each) => spelled.includes(each));
}

/** Two readings: the authority as a segment of the path, and as an authority. */
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

/** Replaces an expression of a template while the text around it is parsed. */
const EXPRESSION = '\u{f8ff}';

/** Whether the literal parts of the template appear in a spelling of the URI, in order, starting at its beginning. */
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

/** Further layers of percent-encoding are not decoded. */
const MAX_LAYERS = 4;

/** Removes percent-encoding, and the control characters that URI parsers skip. */
function decoded(uri: string): string {
  let text = uri;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
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
