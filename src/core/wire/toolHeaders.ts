import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { HeaderParam } from '../model/catalog.ts';
import { list } from './members.ts';

const KEYWORD = 'x-mcp-header';
/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const MIRRORED = ['string', 'integer', 'boolean'];
/** Members whose keys are names instead of keywords, and whose values are schemas. */
const NAMED_SCHEMAS = ['patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** Members with data, which contain no keywords. */
const DATA = ['default', 'const', 'enum', 'examples'];
/** The nesting limit of messages. A lower one could miss a header. */
const MAX_DEPTH = 512;

/** The arguments to repeat as headers, or why the tool's request for headers is invalid. */
export function decodeHeaderParams(inputSchema: JsonObject): readonly HeaderParam[] | string {
  const found: HeaderParam[] = [];
  const problem = walk(inputSchema, [], found, 0);
  if (problem !== undefined) return problem;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : `two of its arguments have the same ${KEYWORD}`;
}

/** `path` is absent if the schema is not reached through `properties` alone. */
function walk(
  schema: Json | undefined,
  path: readonly string[] | undefined,
  found: HeaderParam[],
  depth: number,
): string | undefined {
  if (depth > MAX_DEPTH) return 'its schema nests too deeply';
  if (isJsonArray(schema)) return first(schema, (item) => walk(item, undefined, found, depth + 1));
  if (!isJsonObject(schema)) return undefined;
  const problem = annotation(schema, path, found);
  if (problem !== undefined) return problem;
  return first(Object.keys(schema), (key) => {
    const value = schema[key];
    if (key === KEYWORD || DATA.includes(key)) return undefined;
    if (key !== 'properties' && !NAMED_SCHEMAS.includes(key)) return walk(value, undefined, found, depth + 1);
    if (!isJsonObject(value)) return undefined;
    return first(Object.keys(value), (name) => {
      const inner = key === 'properties' && path !== undefined ? [...path, name] : undefined;
      return walk(value[name], inner, found, depth + 1);
    });
  });
}

function annotation(schema: JsonObject, path: readonly string[] | undefined, found: HeaderParam[]): string | undefined {
  const header = schema[KEYWORD];
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !TOKEN.test(header)) return `its ${KEYWORD} is no name of a header`;
  if (path === undefined || path.length === 0) return `its ${KEYWORD} "${header}" is not on a plain argument`;
  if (!isMirrored(schema['type']))
    return `its ${KEYWORD} "${header}" is on an argument that is no text, integer or flag`;
  found.push({ path, header });
  return undefined;
}

function isMirrored(type: Json | undefined): boolean {
  if (typeof type === 'string') return MIRRORED.includes(type);
  // `["string", "null"]`: null omits the header.
  const types = list(type).filter((one) => one !== 'null');
  return types.length > 0 && types.every((one) => typeof one === 'string' && MIRRORED.includes(one));
}

function first<T>(items: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
