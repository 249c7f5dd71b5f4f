import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { Tool } from '../model/catalog.ts';
import { type KeyKind, looksLikePath, namesFile } from './pathKeys.ts';
import type { NamedText } from './pathTargets.ts';
import type { Unreadable } from './pathText.ts';
import { mustBeText, type Schemas, SchemaPlaces } from './schemaPlaces.ts';
import { MOST_TARGETS, TargetTexts } from './targetTexts.ts';

/** Every text of a payload that names what the request would touch. */
export function textsOfPayload(payload: JsonObject): readonly NamedText[] | Unreadable {
  const texts = new TargetTexts(MOST_TARGETS - 1);
  const walk = { places: new SchemaPlaces({}), texts, takesAny: true };
  collect(payload, { from: '/payload', kind: 'other', schemas: [], depth: 0 }, walk);
  return texts.found;
}

/**
 * The arguments that name what a tool would touch, as far as the names of its members and its schema tell; any that looks
 * like a path where these tell nothing.
 */
export function textsOfArguments({ inputSchema }: Tool, args: JsonObject): readonly NamedText[] | Unreadable {
  const texts = new TargetTexts();
  const places = new SchemaPlaces(inputSchema);
  const walk = { places, texts, takesAny: !places.hasAny };
  collect(args, { from: '/arguments', kind: 'other', schemas: places.all, depth: 0 }, walk);
  return texts.found;
}

interface Walk {
  readonly places: SchemaPlaces;
  readonly texts: TargetTexts;
  /** Whether a text that looks like a path is one wherever it stands. */
  readonly takesAny: boolean;
}

interface Position {
  readonly from: string;
  readonly kind: KeyKind;
  readonly schemas: Schemas;
  readonly depth: number;
}

function collect(value: Json | undefined, at: Position, walk: Walk): void {
  const { places, texts } = walk;
  if (!texts.mayGoOn(at.depth)) return;
  if (typeof value === 'string') {
    if ((walk.takesAny || at.kind !== 'other') && namesFile(value, at.kind)) texts.add(at.from, value);
  } else if (isJsonArray(value)) {
    // A list stands for its items: these are what it is called.
    const schemas = places.items(at.schemas);
    value.forEach((item, index) =>
      collect(item, { ...at, from: `${at.from}/${index}`, schemas, depth: at.depth + 1 }, walk),
    );
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) collectMember(value, key, at, walk);
  } else if (typeof value !== 'object' && at.kind === 'path' && mustBeText(at.schemas))
    texts.refuse(`What it says at ${at.from} is no text, as its schema has it.`);
}

function collectMember(value: JsonObject, key: string, at: Position, walk: Walk): void {
  const from = TargetTexts.at(at.from, key);
  // Some are told what to write into which file as `{ "src/a.ts": "text" }`.
  if (looksLikePath(key) || (at.kind === 'path' && /[\\/]/.test(key))) walk.texts.add(from, key);
  const schemas = walk.places.member(at.schemas, key);
  collect(value[key], { from, kind: walk.places.kindOf(key, schemas), schemas, depth: at.depth + 1 }, walk);
}
