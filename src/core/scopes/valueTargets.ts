import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import { isDeed, type KeyKind, kindOfKey, looksLikePath, namesFile } from './pathKeys.ts';
import type { NamedText } from './pathTargets.ts';
import { isUnreadable, type Unreadable } from './pathText.ts';
import { isSaidText, mustBeText, type Schemas, SchemaPlaces } from './schemaPlaces.ts';
import { MOST_TARGETS, TargetTexts } from './targetTexts.ts';

/** Every text of a payload that names what the request would touch. */
export function textsOfPayload(payload: JsonObject): readonly NamedText[] | Unreadable {
  const texts = new TargetTexts(MOST_TARGETS - 1);
  const walk = { places: new SchemaPlaces({}), texts, takesAny: true, defaults: [] };
  collect(payload, { from: '/payload', kind: 'other', isFile: false, schemas: [], depth: 0 }, walk);
  return texts.found;
}

/** Whether arguments say what is to be done in words of their own: a command, a script. */
export function hasDeed(args: JsonObject, depth = 0): boolean {
  return Object.keys(args).some((key) => {
    const value = args[key];
    if (isDeed(key) && value !== undefined && value !== null && value !== '') return true;
    const items = isJsonArray(value) ? value : [value];
    return depth < DEEPEST_DEED && items.some((item) => isJsonObject(item) && hasDeed(item, depth + 1));
  });
}

const DEEPEST_DEED = 32;

/**
 * The arguments that name what a tool would touch, as far as the names of its members and its schema tell; any that looks
 * like a path where these tell nothing.
 */
export function textsOfArguments({ inputSchema }: Tool, args: JsonObject): readonly NamedText[] | Unreadable {
  const texts = new TargetTexts();
  const places = new SchemaPlaces(inputSchema);
  const walk: Walk = { places, texts, takesAny: !places.hasAny, defaults: [] };
  collect(args, { from: '/arguments', kind: 'other', isFile: false, schemas: places.all, depth: 0 }, walk);
  const { found } = texts;
  // By a server's word alone nothing is known of a call: it only adds to what the call says.
  if (isUnreadable(found) || found.length === 0) return found;
  for (const { from, text } of walk.defaults) texts.add(from, text);
  return texts.found;
}

interface Walk {
  readonly places: SchemaPlaces;
  readonly texts: TargetTexts;
  /** Whether a text that looks like a path is one wherever it stands. */
  readonly takesAny: boolean;
  /** What is left out and means a file all the same. */
  readonly defaults: NamedText[];
}

interface Position {
  readonly from: string;
  readonly kind: KeyKind;
  /** Whether it is a part of something that names files. */
  readonly isFile: boolean;
  readonly schemas: Schemas;
  readonly depth: number;
}

function collect(value: Json | undefined, at: Position, walk: Walk): void {
  const { places, texts } = walk;
  if (!texts.mayGoOn(at.depth)) return;
  if (typeof value === 'string') {
    if (isTold(at, walk) && namesFile(value, at.kind)) texts.add(at.from, value);
  } else if (isJsonArray(value)) {
    // A list stands for its items: these are what it is called.
    const schemas = places.items(at.schemas);
    value.forEach((item, index) =>
      collect(item, { ...at, from: `${at.from}/${index}`, schemas, depth: at.depth + 1 }, walk),
    );
  } else if (value !== null && at.kind === 'path' && mustBeText(at.schemas))
    texts.refuse(`What it says at ${at.from} is no text, as its schema has it.`);
  else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) collectMember(value, key, at, walk);
    if (at.depth > 0) return;
    for (const [name, text] of places.defaults(at.schemas, value))
      walk.defaults.push({ from: TargetTexts.at(at.from, name), text });
  }
}

/** Only what its schema says to be some text or other is nothing else. */
function isTold({ kind, isFile, schemas }: Position, { takesAny }: Walk): boolean {
  return takesAny || kind !== 'other' || isFile || !isSaidText(schemas);
}

function collectMember(value: JsonObject, key: string, at: Position, walk: Walk): void {
  const from = TargetTexts.at(at.from, key);
  // Some are told what to write into which file as `{ "src/a.ts": "text" }`.
  if (looksLikePath(key) || (at.kind === 'path' && /[\\/]/.test(key))) walk.texts.add(from, key);
  const schemas = walk.places.member(at.schemas, key);
  // A text that is there is one, whatever its schema would have.
  const kind = typeof value[key] === 'string' ? kindOfText(key, schemas, walk) : walk.places.kindOf(key, schemas);
  const isFile = at.isFile || kind === 'path';
  collect(value[key], { from, kind, isFile, schemas, depth: at.depth + 1 }, walk);
}

function kindOfText(key: string, schemas: Schemas, { places }: Walk): KeyKind {
  const kind = places.kindOf(key, schemas);
  return kind === 'other' ? kindOfKey(key) : kind;
}
