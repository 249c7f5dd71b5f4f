import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  messageOf,
  nestsDeeperThan,
  parseJson,
} from '../core/index.ts';
import { split } from './target.ts';
import { UsageError } from './usage.ts';

/** The arguments of a call: `--args`, overridden by `name=value` pairs that are parsed by the tool's schema. */
export function toolArguments(json: string | undefined, pairs: readonly string[], schema: JsonObject): JsonObject {
  const whole = json === undefined ? {} : parse(json, '--args');
  if (!isJsonObject(whole)) throw new UsageError('--args must be a JSON object such as {"path": "a.txt"}.');
  const members = pairs.map((pair): [string, Json] => {
    const [name, value] = split(pair, '=', 'an argument of the tool');
    return [name, valueOf(name, value, schema)];
  });
  return { ...whole, ...Object.fromEntries(members) };
}

function valueOf(name: string, value: string, schema: JsonObject): Json {
  const properties = schema['properties'];
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const types = typesOf(property);
  if (types.includes('string')) return value;
  // Without a type, valid JSON is parsed: 5 is a number, and "5" in quotes a text.
  if (types.length === 0) return tryParse(value) ?? value;
  return parse(value, name);
}

function typesOf(property: Json | undefined): readonly Json[] {
  if (!isJsonObject(property)) return [];
  const { type, enum: choices } = property;
  if (type === undefined && isJsonArray(choices))
    return choices.every((each) => typeof each === 'string') ? ['string'] : [];
  if (type === undefined) return [];
  return isJsonArray(type) ? type : [type];
}

function tryParse(text: string): Json | undefined {
  try {
    return parse(text, '');
  } catch {
    return undefined;
  }
}

function parse(text: string, where: string): Json {
  if (nestsDeeperThan(text)) throw new UsageError(`${where} nests too deeply.`);
  try {
    return parseJson(text);
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${messageOf(error)}`);
  }
}
