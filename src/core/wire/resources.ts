import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Freshness, Resource, ResourceTemplate } from '../model/catalog.ts';
import type { ResourceContents } from '../model/content.ts';
import { count, type Decoded, invalid, ok, text } from './members.ts';
import { decodeAnnotations, decodeIcons } from './icons.ts';
import { decodeFreshness, decodePage, listIn, nameProblem, type Page } from './page.ts';

/** RFC 3986 sets no limit. Longer URIs cannot be displayed, so treat them as hostile. */
const MAX_URI = 100_000;

export function decodeResourcePage(result: Json): Page<Resource> {
  return decodePage(result, { member: 'resources', one: 'a resource', many: 'resources', decode: decodeResource });
}

export function decodeTemplatePage(result: Json): Page<ResourceTemplate> {
  return decodePage(result, {
    member: 'resourceTemplates',
    one: 'a resource template',
    many: 'resource templates',
    decode: decodeTemplate,
  });
}

function decodeResource(value: JsonObject): Resource | string {
  const uri = text(value['uri']) ?? '';
  const problem = nameProblem(uri, 'a resource', 'URI', MAX_URI);
  if (problem !== undefined) return problem;
  return { uri, size: count(value['size']), ...described(value, uri) };
}

function decodeTemplate(value: JsonObject): ResourceTemplate | string {
  const uriTemplate = text(value['uriTemplate']) ?? '';
  const problem = nameProblem(uriTemplate, 'a resource template', 'URI template', MAX_URI);
  if (problem !== undefined) return problem;
  return { uriTemplate, ...described(value, uriTemplate) };
}

function described(value: JsonObject, fallback: string): Omit<ResourceTemplate, 'uriTemplate'> {
  return {
    name: text(value['name']) || fallback,
    title: text(value['title']),
    description: text(value['description']),
    mimeType: text(value['mimeType']),
    annotations: decodeAnnotations(value['annotations']),
    icons: decodeIcons(value['icons']),
    raw: value,
  };
}

/** The result of `resources/read`. */
export interface ReadResult {
  readonly contents: readonly ResourceContents[];
  readonly rejected: readonly string[];
  readonly freshness: Freshness | undefined;
  readonly raw: Json;
}

/** `uri` is the requested one, used for contents without their own. */
export function decodeReadResult(result: Json, uri: string): Decoded<ReadResult> {
  const found = listIn(result, 'contents');
  if (found === undefined) return invalid('the answer holds no contents');
  const contents = found.map((item) => decodeContents(item, uri));
  const rejected = contents.filter((one) => one === undefined).length;
  return ok({
    contents: contents.filter((one) => one !== undefined),
    rejected: rejected === 0 ? [] : [`${rejected} of ${found.length} contents, which hold neither text nor data`],
    freshness: decodeFreshness(result),
    raw: result,
  });
}

/** One part of a resource. `undefined` if it is unusable. */
function decodeContents(value: Json | undefined, uri: string): ResourceContents | undefined {
  if (!isJsonObject(value)) return undefined;
  const about = { uri: text(value['uri']) ?? uri, mimeType: text(value['mimeType']) };
  if (typeof value['text'] === 'string') return { kind: 'text', ...about, text: value['text'] };
  return typeof value['blob'] === 'string' ? { kind: 'blob', ...about, blob: value['blob'] } : undefined;
}
