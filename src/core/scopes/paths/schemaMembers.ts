import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type KeyKind, kindOfKey } from './pathKeys.ts';

/** The schemas that apply to one value, including referenced and combined ones. */
export type Schemas = readonly JsonObject[];

const PATH_FORMATS = /^(?:(?:file|dir|directory|folder)?[-_]?path|file|directory|folder|uri|uri-reference|iri)$/i;
const FILE_FORMATS = /^(?:(?:file|dir|directory|folder)?[-_]?path|file|directory|folder)$/i;
const CONTENT_FORMATS =
  /^(?:markdown|html|text|plain|multiline|multi-line|textarea|code|base64|byte|binary|richtext)$/i;
const CONTENT_KEYWORDS = ['contentMediaType', 'contentEncoding', 'contentSchema'];
const BRANCHES = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'];
const MAX_SCHEMAS = 64;
const MAX_MEMBERS = 2_000;
const DEEPEST = 16;

/** The members of a tool's input schema that name files. */
export class SchemaMembers {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  get all(): Schemas {
    return this.#whole([this.#root]);
  }

  /** Whether any member is marked. A schema too large to search counts as unmarked. */
  get hasAny(): boolean {
    const seen = new Set<JsonObject>();
    const search = (schemas: Schemas, depth: number): boolean => {
      const fresh = schemas.filter((schema) => !seen.has(schema));
      if (fresh.length === 0 || depth > DEEPEST || seen.size > MAX_MEMBERS) return false;
      for (const schema of fresh) seen.add(schema);
      const names = new Set(
        fresh.flatMap((schema) => Object.keys(objectAt(schema, 'properties')).slice(0, MAX_MEMBERS)),
      );
      for (const name of names) {
        const member = this.member(fresh, name);
        if (this.kindOf(name, member) === 'path' || search(member, depth + 1)) return true;
        if (kindOfKey(name) === 'location' && mayBeText(member)) return true;
      }
      return search(this.items(fresh), depth + 1);
    };
    return search(this.all, 0);
  }

  member(schemas: Schemas, name: string): Schemas {
    return this.#whole(
      schemas.flatMap((schema) => {
        const declared = own(objectAt(schema, 'properties'), name);
        if (declared !== undefined) return [declared];
        // Takes all patterns, because testing a server's regular expression could take forever.
        const patterns = Object.values(objectAt(schema, 'patternProperties')).slice(0, MAX_SCHEMAS);
        return [...patterns, own(schema, 'additionalProperties'), own(schema, 'unevaluatedProperties')];
      }),
    );
  }

  /** Schema defaults of omitted members that name files. */
  defaults(schemas: Schemas, given: JsonObject): readonly (readonly [name: string, text: string])[] {
    const names = new Set(
      schemas.flatMap((schema) => Object.keys(objectAt(schema, 'properties')).slice(0, MAX_MEMBERS)),
    );
    return [...names].flatMap((name) => {
      if (Object.hasOwn(given, name)) return [];
      const member = this.member(schemas, name);
      if (this.kindOf(name, member) !== 'path') return [];
      return member.flatMap((schema) => {
        const text = own(schema, 'default');
        return typeof text === 'string' ? [[name, text] as const] : [];
      });
    });
  }

  items(schemas: Schemas): Schemas {
    return this.#whole(
      schemas.flatMap((schema) => [
        ...listOf(own(schema, 'items')),
        ...listOf(own(schema, 'prefixItems')),
        own(schema, 'additionalProperties'),
      ]),
    );
  }

  /** Classifies a member by its name, or by the format in its schema. */
  kindOf(name: string, schemas: Schemas): KeyKind {
    const formats = [...schemas, ...this.items(schemas)].map((schema) => own(schema, 'format'));
    const kind = kindOfKey(name);
    // A URL is a URI too, so the name alone may mean the web.
    const isPath = kind === 'url' ? FILE_FORMATS : PATH_FORMATS;
    if (formats.some((format) => typeof format === 'string' && isPath.test(format))) return 'path';
    return kind === 'path' && !mayBeText(schemas) ? 'other' : kind;
  }

  #whole(schemas: readonly (Json | undefined)[]): Schemas {
    const found = new Set<JsonObject>();
    const left = [...schemas];
    for (let at = 0; at < left.length && found.size < MAX_SCHEMAS; at++) {
      const schema = left[at];
      if (!isJsonObject(schema) || found.has(schema)) continue;
      found.add(schema);
      left.push(this.#referred(own(schema, '$ref')));
      for (const word of BRANCHES) left.push(...listOf(own(schema, word)));
      left.push(...Object.values(objectAt(schema, 'dependentSchemas')).slice(0, MAX_SCHEMAS));
    }
    return [...found];
  }

  /** Resolves a reference within the schema. Other references are not followed. */
  #referred(reference: Json | undefined): Json | undefined {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference) || reference.length > 512) return undefined;
    let at: Json | undefined = this.#root;
    for (const part of reference.split('/').slice(1)) {
      if (!isJsonObject(at)) return undefined;
      at = own(at, part.replaceAll('~1', '/').replaceAll('~0', '~'));
    }
    return at;
  }
}

/** Whether one of the schemas marks the value as content rather than a name. */
export function isMarkedContent(schemas: Schemas): boolean {
  return schemas.some((schema) => {
    const format = own(schema, 'format');
    if (typeof format === 'string' && CONTENT_FORMATS.test(format)) return true;
    return CONTENT_KEYWORDS.some((keyword) => own(schema, keyword) !== undefined);
  });
}

/** Whether one of the schemas declares the member, or none declares any. */
export function mayHave(schemas: Schemas, name: string): boolean {
  const named = schemas.map((schema) => objectAt(schema, 'properties')).filter((all) => Object.keys(all).length > 0);
  return named.length === 0 || named.some((properties) => Object.hasOwn(properties, name));
}

/** Whether any schema allows a text, a list of texts, or an object. */
export function mayBeText(schemas: Schemas): boolean {
  const types = typesOf(schemas);
  return types.length === 0 || types.some((type) => type === 'string' || type === 'array' || type === 'object');
}

/** Whether one of the schemas declares a string. */
export function isSaidText(schemas: Schemas): boolean {
  return typesOf(schemas).includes('string');
}

/** Whether the schemas require a text. */
export function mustBeText(schemas: Schemas): boolean {
  const types = typesOf(schemas).filter((type) => type !== 'null');
  return types.length > 0 && types.every((type) => type === 'string');
}

function typesOf(schemas: Schemas): readonly Json[] {
  return schemas.flatMap((schema) => listOf(own(schema, 'type'))).filter((type) => type !== undefined);
}

function own(schema: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

function objectAt(schema: JsonObject, name: string): JsonObject {
  const value = own(schema, name);
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly (Json | undefined)[] {
  return isJsonArray(value) ? value.slice(0, MAX_SCHEMAS) : [value];
}
