import { cleanLine, isJsonArray, isJsonObject, type Json, type JsonObject } from '../core/index.ts';

const MAX_DEPTH = 4;
const MAX_MEMBERS = 200;
const MAX_LINE = 300;

/** The members of an object schema, one line each, nested ones indented. A server's text: nothing of it is trusted. */
export function schemaText(schema: JsonObject, indent = '', depth = 1): readonly string[] {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return [];
  const required = isJsonArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(properties);
  const lines = names.slice(0, MAX_MEMBERS).flatMap((name) => {
    const property = properties[name];
    if (!isJsonObject(property)) return [`${indent}${cleanLine(name, 100)}`];
    const line = memberText(name, property, required.includes(name));
    return [indent + line, ...(depth < MAX_DEPTH ? schemaText(inner(property), `${indent}  `, depth + 1) : [])];
  });
  return names.length > MAX_MEMBERS ? [...lines, `${indent}… and ${names.length - MAX_MEMBERS} more`] : lines;
}

function memberText(name: string, property: JsonObject, isRequired: boolean): string {
  const { default: preset, description, title } = property;
  const facts = [typeText(property), ...(isRequired ? ['required'] : []), ...limits(property)];
  if (preset !== undefined) facts.push(`default ${JSON.stringify(preset)}`);
  const words = [title, description]
    .filter((text) => typeof text === 'string')
    .filter((text) => text !== '')
    .join(': ');
  return cleanLine(`${name} (${facts.join(', ')})${words === '' ? '' : ` ${words}`}`, MAX_LINE);
}

function typeText(property: JsonObject): string {
  const { type, enum: choices, const: fixed, format } = property;
  if (isJsonArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (fixed !== undefined) return JSON.stringify(fixed);
  const variants = [property['anyOf'], property['oneOf']].find(isJsonArray);
  if (type === undefined && variants !== undefined) return variants.map(variantText).join(' or ');
  if (type === 'array') return `array of ${variantText(property['items'])}`;
  const text = isJsonArray(type) ? type.map(String).join(' or ') : typeof type === 'string' ? type : 'any';
  return typeof format === 'string' ? `${text}, ${format}` : text;
}

function variantText(schema: Json | undefined): string {
  return isJsonObject(schema) ? typeText(schema) : 'any';
}

function limits(property: JsonObject): readonly string[] {
  const { minimum, maximum } = property;
  if (minimum !== undefined && maximum !== undefined)
    return [`${JSON.stringify(minimum)} to ${JSON.stringify(maximum)}`];
  if (minimum !== undefined) return [`at least ${JSON.stringify(minimum)}`];
  return maximum === undefined ? [] : [`at most ${JSON.stringify(maximum)}`];
}

/** What lies in an object, or in each item of a list of objects. */
function inner(property: JsonObject): JsonObject {
  return isJsonObject(property['items']) ? property['items'] : property;
}
