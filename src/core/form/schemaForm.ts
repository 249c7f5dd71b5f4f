import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { cleanLine, cleanText } from '../base/cleanText.ts';
import type {
  FieldBase,
  FormField,
  ListField,
  NumberRules,
  Option,
  TextFormat,
  TextRules,
  ToolForm,
} from './fields.ts';
import { countMember, memberCount, numberMember, shapeOf, textMember } from './schemaShape.ts';

/** Larger forms are not usable, and hostile schemas would slow down the page. */
const MAX_FIELDS = 200;
const MAX_GROUP_DEPTH = 5;
const MAX_OPTIONS = 300;
const MAX_REQUIRED = 1_000;
/** Characters of all values (choices and defaults) in the form, which is copied into a page. */
const MAX_VALUES = 2_000_000;
const MAX_EXAMPLES = 3;
const MAX_LABEL = 120;
/** Longer patterns and examples are not shown. */
const MAX_HINT = 200;

const FORMATS: Readonly<Record<string, TextFormat>> = {
  password: 'password',
  uri: 'uri',
  url: 'uri',
  email: 'email',
  date: 'date',
  time: 'time',
  'date-time': 'date-time',
  uuid: 'uuid',
};

/** Names and formats that usually hold several lines. */
const LONG_NAMES = /^(body|code|content|contents|diff|html|markdown|message|patch|prompt|script|sql|text|thought)$/i;
const LONG_FORMATS = /^(multiline|textarea|markdown|html|code)$/;
const LONG_LENGTH = 200;

interface Context {
  readonly root: JsonObject;
  /** Number of fields that may still be added to the form. */
  budget: number;
  /** Number of value characters that may still be added. */
  values: number;
}

interface Position {
  readonly id: string;
  readonly name: string;
  readonly required: boolean;
  readonly depth: number;
}

/** The form fields for a tool's `inputSchema`. The form is bounded for any input, including hostile ones. */
export function schemaForm(inputSchema: JsonObject): ToolForm {
  const context: Context = { root: inputSchema, budget: MAX_FIELDS, values: MAX_VALUES };
  const { schema } = shapeOf(inputSchema, inputSchema);
  const members = isJsonObject(schema['properties']) ? memberCount(schema['properties']) : 0;
  const fields = membersOf(schema, '', 0, context);
  return { fields, complete: fields.length === members && !takesMore(schema, members) };
}

/**
 * Whether there may be arguments beyond the fields. Few schemas are closed explicitly, so an open one with fields
 * counts as complete.
 */
function takesMore(schema: JsonObject, members: number): boolean {
  if (['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'].some((key) => schema[key] !== undefined)) return true;
  const more = schema['additionalProperties'];
  return more === true || isJsonObject(more) || (members === 0 && more === undefined && schema['type'] === undefined);
}

function membersOf(schema: JsonObject, parent: string, depth: number, context: Context): readonly FormField[] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [];
  const needed = new Set(isJsonArray(required) ? required.slice(0, MAX_REQUIRED) : []);
  const fields: FormField[] = [];
  for (const name of Object.keys(properties)) {
    if (context.budget <= 0) break;
    context.budget--;
    const id = `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    fields.push(fieldOf(properties[name], { id, name, required: needed.has(name), depth }, context));
  }
  return fields;
}

function fieldOf(value: Json | undefined, position: Position, context: Context): FormField {
  const { schema, nullable } = shapeOf(value, context.root);
  const base = baseOf(schema, position, nullable, context);
  const options = optionsOf(schema, context);
  if (options !== undefined) return choiceField(base, options);
  switch (typeOf(schema)) {
    case 'string':
      return { ...base, ...textRules(schema), kind: 'text', multiline: isLong(schema, position.name) };
    case 'integer':
    case 'number':
      return { ...base, ...numberRules(schema), kind: 'number' };
    case 'boolean':
      return { ...base, kind: 'boolean' };
    case 'array':
      return arrayField(schema, base, context);
    case 'object':
      return groupField(schema, base, position, context);
    default:
      return { ...base, kind: 'json', expects: 'any' };
  }
}

function baseOf(schema: JsonObject, position: Position, nullable: boolean, context: Context): FieldBase {
  const title = cleanLine(textMember(schema, 'title') ?? '', MAX_LABEL);
  const examples = isJsonArray(schema['examples']) ? schema['examples'] : [];
  return {
    id: position.id,
    name: position.name,
    label: title === '' ? cleanLine(position.name, MAX_LABEL) || '(no name)' : title,
    description: cleanText(textMember(schema, 'description') ?? ''),
    required: position.required,
    nullable,
    examples: examples.slice(0, MAX_EXAMPLES).map((example) => valueText(example, MAX_HINT)),
    default: hasRoomFor(schema['default'], context) ? (schema['default'] ?? undefined) : undefined,
  };
}

/** Infers the type if the schema omits it. */
function typeOf(schema: JsonObject): string | undefined {
  const type = textMember(schema, 'type');
  if (type !== undefined) return type;
  if (schema['type'] !== undefined) return undefined;
  if (isJsonObject(schema['properties'])) return 'object';
  return isJsonObject(schema['items']) ? 'array' : undefined;
}

function textRules(schema: JsonObject): TextRules {
  const pattern = textMember(schema, 'pattern');
  const format = textMember(schema, 'format');
  return {
    format: schema['writeOnly'] === true ? 'password' : knownFormat(format),
    minLength: countMember(schema, 'minLength'),
    maxLength: countMember(schema, 'maxLength'),
    pattern: pattern === undefined || pattern.length > MAX_HINT ? undefined : cleanLine(pattern),
  };
}

function knownFormat(format: string | undefined): TextFormat | undefined {
  return format !== undefined && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
}

function isLong(schema: JsonObject, name: string): boolean {
  if (knownFormat(textMember(schema, 'format')) !== undefined || schema['writeOnly'] === true) return false;
  const { default: initial, maxLength, format } = schema;
  if (typeof initial === 'string' && initial.includes('\n')) return true;
  if (typeof format === 'string' && LONG_FORMATS.test(format)) return true;
  if (typeof maxLength === 'number') return maxLength > LONG_LENGTH;
  return LONG_NAMES.test(name);
}

function numberRules(schema: JsonObject): NumberRules {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const step = numberMember(schema, 'multipleOf');
  // Draft 4 writes `exclusiveMinimum: true` next to `minimum`. Later drafts use a number instead.
  const min = typeof above === 'number' ? above : numberMember(schema, 'minimum');
  const max = typeof below === 'number' ? below : numberMember(schema, 'maximum');
  return {
    integer: schema['type'] === 'integer',
    min,
    max,
    minExclusive: min !== undefined && (typeof above === 'number' || above === true),
    maxExclusive: max !== undefined && (typeof below === 'number' || below === true),
    step: step !== undefined && step > 0 ? step : undefined,
  };
}

function choiceField(base: FieldBase, options: readonly Option[]): FormField {
  if (options.length > MAX_OPTIONS) return { ...base, kind: 'json', expects: 'any' };
  const [only] = options;
  const fixed = base.required && options.length === 1 && base.default === undefined;
  return { ...base, kind: 'choice', options, default: fixed ? only?.value : base.default };
}

function arrayField(schema: JsonObject, base: FieldBase, context: Context): FormField {
  const { schema: items, nullable } = shapeOf(schema['items'], context.root);
  const counts = { minItems: countMember(schema, 'minItems'), maxItems: countMember(schema, 'maxItems') };
  const options = optionsOf(items, context);
  if (options !== undefined && options.length <= MAX_OPTIONS && !nullable)
    return { ...base, ...counts, kind: 'choices', options };
  const item = nullable || options !== undefined ? undefined : itemOf(items);
  if (item === undefined) return { ...base, kind: 'json', expects: 'array' };
  return { ...base, ...counts, kind: 'list', item };
}

function itemOf(items: JsonObject): ListField['item'] | undefined {
  const type = typeOf(items);
  if (type === 'string') return { kind: 'text', ...textRules(items) };
  if (type === 'integer' || type === 'number') return { kind: 'number', ...numberRules(items) };
  return undefined;
}

function groupField(schema: JsonObject, base: FieldBase, position: Position, context: Context): FormField {
  const members = isJsonObject(schema['properties']) ? memberCount(schema['properties']) : 0;
  const open = position.depth >= MAX_GROUP_DEPTH || members > context.budget || takesMore(schema, members);
  if (members === 0 || open) return { ...base, kind: 'json', expects: 'object' };
  const fields = membersOf(schema, position.id, position.depth + 1, context);
  // The field budget dropped nested members. Half a group would send half an object, so use JSON.
  if (fields.length < members) return { ...base, kind: 'json', expects: 'object' };
  return { ...base, kind: 'group', fields };
}

/** The options of a schema: `const`, `enum`, or branches with one titled `const` each. */
function optionsOf(schema: JsonObject, context: Context): readonly Option[] | undefined {
  const options = readOptions(schema);
  return options?.every(({ value }) => hasRoomFor(value, context)) === true ? options : undefined;
}

/** Many fields may refer to one large value. */
function hasRoomFor(value: Json | undefined, context: Context): boolean {
  if (context.values > 0 && value !== undefined) context.values -= JSON.stringify(value).length;
  return context.values > 0;
}

function readOptions(schema: JsonObject): readonly Option[] | undefined {
  if (schema['const'] !== undefined) return [option(schema['const'], undefined, undefined)];
  const values = schema['enum'];
  if (isJsonArray(values) && values.length > 0) {
    const names = isJsonArray(schema['enumNames']) ? schema['enumNames'] : [];
    return values.slice(0, MAX_OPTIONS + 1).map((value, index) => option(value, names[index], undefined));
  }
  const branches = schema['oneOf'] ?? schema['anyOf'];
  if (!isJsonArray(branches) || branches.length === 0) return undefined;
  const options: Option[] = [];
  for (const branch of branches.slice(0, MAX_OPTIONS + 1)) {
    if (!isJsonObject(branch) || branch['const'] === undefined) return undefined;
    options.push(option(branch['const'], branch['title'], branch['description']));
  }
  return options;
}

function option(value: Json, label: Json | undefined, description: Json | undefined): Option {
  const given = typeof label === 'string' ? cleanLine(label, MAX_LABEL) : '';
  return {
    label: given === '' ? valueText(value, MAX_LABEL) : given,
    description: typeof description === 'string' ? cleanLine(description) : '',
    value,
  };
}

function valueText(value: Json, max: number): string {
  return cleanLine(typeof value === 'string' && value !== '' ? value : JSON.stringify(value), max);
}
