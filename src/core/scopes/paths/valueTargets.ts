import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Tool } from '../../model/catalog.ts';
import type { ScopeConcern } from './computed.ts';
import {
  isActionKey,
  isContentKey,
  isNameKey,
  isProseKey,
  type KeyKind,
  kindOfKey,
  looksLikePath,
  namesFile,
} from './pathKeys.ts';
import { type FoundTexts, MAX_TARGETS, type NamedText, TargetTexts } from './pathTargets.ts';
import { hasScheme, hasSigil, type Unreadable } from './pathText.ts';
import { isWord, lineOf } from './checkedTexts.ts';

/** The schemas that apply to one value, including referenced and combined ones. */
type Schemas = readonly JsonObject[];

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

/** All texts of a payload that name targets, and all others that may. */
export function textsOfPayload(payload: JsonObject, concern: ScopeConcern): FoundTexts | Unreadable {
  const texts = new TargetTexts(MAX_TARGETS - 1);
  const walk = { members: new SchemaMembers({}), texts, takesAny: true, defaults: [], concern };
  collect(payload, { ...START, from: '/payload', schemas: [] }, walk);
  return texts.found;
}

/** Whether arguments contain a command or a script. */
export function hasAction(args: JsonObject, depth = 0): boolean {
  return Object.keys(args).some((key) => {
    const value = args[key];
    if (isActionKey(key) && value !== undefined && value !== null && value !== '') return true;
    const items = isJsonArray(value) ? value : [value];
    return depth < MAX_DEPTH_OF_COMMANDS && items.some((item) => isJsonObject(item) && hasAction(item, depth + 1));
  });
}

const MAX_DEPTH_OF_COMMANDS = 32;

/**
 * The arguments that name targets, by member names and the schema. Without any, every text that looks like a path.
 * Every other single-line text may name something too.
 */
export function textsOfArguments(
  { inputSchema }: Tool,
  args: JsonObject,
  concern: ScopeConcern,
): FoundTexts | Unreadable {
  const texts = new TargetTexts();
  const members = new SchemaMembers(inputSchema);
  const walk: Walk = { members, texts, takesAny: !members.hasAny, defaults: [], concern };
  collect(args, { ...START, from: '/arguments', schemas: members.all }, walk);
  // Schema defaults are the server's own claim, so they only add to targets in the arguments.
  if (texts.hasTargets) for (const text of walk.defaults) texts.add(text);
  return texts.found;
}

const START = { key: '', kind: 'other', isFile: false, isDeclared: true, depth: 0 } as const;

interface Walk {
  readonly members: SchemaMembers;
  readonly texts: TargetTexts;
  /** Whether every text that looks like a path counts as one. */
  readonly takesAny: boolean;
  /** Omitted members whose default names a file. */
  readonly defaults: NamedText[];
  readonly concern: ScopeConcern;
}

interface Position {
  readonly from: string;
  /** The name of the member, or of the list that contains the item. */
  readonly key: string;
  readonly kind: KeyKind;
  /** Whether it is part of a value that names files. */
  readonly isFile: boolean;
  readonly schemas: Schemas;
  /** Whether the schema declares this member, or declares none. */
  readonly isDeclared: boolean;
  readonly depth: number;
}

function collect(value: Json | undefined, at: Position, walk: Walk): void {
  const { members, texts } = walk;
  if (!texts.mayGoOn(at.depth)) return;
  if (typeof value === 'string') {
    collectText(value, at, walk);
  } else if (typeof value === 'number' && walk.concern.ofNames && isNameKey(at.key)) {
    addNames(String(value), at, walk);
  } else if (isJsonArray(value)) {
    checkJoined(value, at, walk);
    // The items of a list share its name.
    const schemas = members.items(at.schemas);
    value.forEach((item, index) =>
      collect(item, { ...at, from: `${at.from}/${index}`, schemas, depth: at.depth + 1 }, walk),
    );
  } else if (value !== null && at.kind === 'path' && mustBeText(at.schemas))
    texts.refuse(`The value at ${at.from} is not a text, which its schema requires.`);
  else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) collectMember(value, key, at, walk);
    if (at.depth > 0) return;
    for (const [name, text] of members.defaults(at.schemas, value))
      walk.defaults.push({ from: TargetTexts.at(at.from, name), text, as: 'path' });
  }
}

const MAX_SEGMENTS = 32;

/** A path may be given as a list of names. */
function checkJoined(items: readonly Json[], { from, schemas }: Position, { texts, concern }: Walk): void {
  if (!concern.denies || items.length < 2 || items.length > MAX_SEGMENTS || isMarkedContent(schemas)) return;
  const names = items.flatMap((item) => (typeof item === 'string' && /^[^\s\\/]{1,256}$/.test(item) ? [item] : []));
  if (names.length === items.length) texts.check({ from, text: names.join('/'), isProse: false });
}

/** Skips a text if no list is about files, or if its schema declares a plain string. */
function mayNameFile({ kind, isFile, schemas }: Position, { takesAny, concern }: Walk): boolean {
  if (kind !== 'other' || isFile) return true;
  return concern.ofFiles && (takesAny || !isSaidText(schemas));
}

function collectText(text: string, at: Position, walk: Walk): void {
  const { from, key, kind, schemas } = at;
  const isText = isSaidText(schemas);
  const isContent = isText && isContentKey(key);
  if (isMarkedContent(schemas)) return;
  const isNamed = isNameKey(key);
  const line = isContent ? undefined : lineOf(text);
  if (line !== undefined && isNameTarget(line, { kind, isNamed, concern: walk.concern })) addNames(line, at, walk);
  else if (
    mayNameFile(at, walk) &&
    !isOfWeb(text, at, walk) &&
    !(isContent && kind === 'other') &&
    namesFile(text, kind)
  ) {
    const isFile = kind === 'path' || isFileInLocation(text, isNamed, at, walk.concern);
    walk.texts.add({ from, text, as: isFile ? 'path' : 'any' });
  } else if (line !== undefined) walk.texts.check({ from, text: line, isProse: isProseKey(key) && isText });
}

/** If no list is about names, a value with only a URI format may be a web address. */
function isOfWeb(text: string, { key }: Position, { concern }: Walk): boolean {
  return !concern.ofNames && /^https?:\/\//i.test(text.trim()) && kindOfKey(key) !== 'path';
}

function addNames(line: string, { from, key, isDeclared }: Position, { texts }: Walk): void {
  const isAnchor = isNameKey(key) && isDeclared;
  const listed = line.split(/[\s,;|]+/).filter(hasSigil);
  for (const text of listed.length > 1 ? listed : [line]) texts.add({ from, text, as: 'name', isAnchor });
}

const MAX_NAME = 256;

/** Whether a text is a name that the lists must allow, rather than a file. */
function isNameTarget(
  line: string,
  { kind, isNamed, concern }: { readonly kind: KeyKind; readonly isNamed: boolean; readonly concern: ScopeConcern },
): boolean {
  if (line.length > MAX_NAME || kind === 'path') return false;
  // Prose may begin with `#` or `@` too, so a sign only counts if lists are about names.
  if (hasSigil(line)) return isNamed ? concern.ofNames || !looksLikeFile(line) : concern.ofNames && isWord(line);
  if (hasScheme(line)) return concern.ofNames && isWord(line) && !(kind === 'url' && /^https?:/i.test(line));
  const mayBeFile = looksLikePath(line) || (kind === 'location' && /[\\/.]/.test(line));
  return isNamed && concern.ofNames && !mayBeFile;
}

/** `@scope/pkg`, `#readme.md` */
function looksLikeFile(line: string): boolean {
  return /[\\/]|\w\.\w/.test(line) && isWord(line);
}

/** Members such as `source` and `target` hold files, so `#a` and `@a` are files unless lists are about names. */
function isFileInLocation(text: string, isNamed: boolean, { kind }: Position, { ofNames }: ScopeConcern): boolean {
  return kind === 'location' && !ofNames && (!isNamed || looksLikeFile(text));
}

const IDENTIFIER = /^[\w$-]*$/;

function collectMember(value: JsonObject, key: string, at: Position, walk: Walk): void {
  const from = TargetTexts.at(at.from, key);
  // Some tools map files to content: `{ "src/a.ts": "text" }`.
  if (looksLikePath(key) || (at.kind === 'path' && /[\\/]/.test(key))) walk.texts.add({ from, text: key, as: 'path' });
  else if (!IDENTIFIER.test(key) || isNameKey(at.key)) checkKey(key, from, walk);
  const schemas = walk.members.member(at.schemas, key);
  // A given text counts as text, whatever its schema says.
  const kind = typeof value[key] === 'string' ? kindOfText(key, schemas, walk) : walk.members.kindOf(key, schemas);
  const isFile = at.isFile || kind === 'path';
  const isDeclared = mayHave(at.schemas, key);
  collect(value[key], { from, key, kind, isFile, schemas, isDeclared, depth: at.depth + 1 }, walk);
}

/** A member name may be a target: `{ "#general": "text" }`. */
function checkKey(key: string, from: string, { texts }: Walk): void {
  const line = lineOf(key);
  if (line !== undefined) texts.check({ from, text: line, isProse: false, isMember: IDENTIFIER.test(key) });
}

function kindOfText(key: string, schemas: Schemas, { members }: Walk): KeyKind {
  const kind = members.kindOf(key, schemas);
  return kind === 'other' ? kindOfKey(key) : kind;
}
