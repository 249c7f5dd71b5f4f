/** The part of JSON Schema that the tools of this server use. */
export interface Schema {
  readonly type: 'object' | 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly format?: 'date' | 'date-time';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

/** An object schema without additional properties. */
export function closed(properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Validation errors, one sentence each, worded so that a model can fix them. */
export function problemsOf(value: unknown, schema: Schema, at: string): readonly string[] {
  switch (schema.type) {
    case 'object':
      return isFields(value) ? objectProblems(value, schema, at) : [`${at} must be an object.`];
    case 'array':
      return Array.isArray(value) ? arrayProblems(value, schema, at) : [`${at} must be an array.`];
    case 'string':
      return typeof value === 'string' ? textProblems(value, schema, at) : [`${at} must be a string.`];
    case 'integer':
    case 'number':
      return numberProblems(value, schema, at);
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${at} must be true or false.`];
  }
}

function objectProblems(value: Fields, schema: Schema, at: string): readonly string[] {
  const known = schema.properties ?? {};
  const missing = (schema.required ?? []).filter((name) => value[name] === undefined);
  const present = Object.keys(value).filter((name) => value[name] !== undefined);
  return [
    ...missing.map((name) => `${member(at, name)} is missing.`),
    ...present.flatMap((name) => {
      const property = Object.hasOwn(known, name) ? known[name] : undefined;
      if (property !== undefined) return problemsOf(value[name], property, member(at, name));
      return schema.additionalProperties === false ? [`${member(at, name)} is not known.`] : [];
    }),
  ];
}

function member(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function arrayProblems(value: readonly unknown[], schema: Schema, at: string): readonly string[] {
  const { items, maxItems } = schema;
  if (maxItems !== undefined && value.length > maxItems) return [`${at} must have at most ${maxItems} items.`];
  return items === undefined ? [] : value.flatMap((item, i) => problemsOf(item, items, `${at}[${i}]`));
}

function textProblems(value: string, schema: Schema, at: string): readonly string[] {
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [`${at} must be one of ${schema.enum.map((each) => `"${each}"`).join(', ')}.`];
  if (schema.minLength !== undefined && value.length < schema.minLength) return [`${at} must not be empty.`];
  if (schema.maxLength !== undefined && value.length > schema.maxLength)
    return [`${at} must have at most ${schema.maxLength} characters.`];
  if (schema.format === 'date' && !isDate(value)) return [`${at} must be a date such as 2026-01-31.`];
  return [];
}

function isDate(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;
}

function numberProblems(value: unknown, schema: Schema, at: string): readonly string[] {
  if (typeof value !== 'number' || !Number.isFinite(value)) return [`${at} must be a number.`];
  if (schema.type === 'integer' && !Number.isInteger(value)) return [`${at} must be a whole number.`];
  if (schema.minimum !== undefined && value < schema.minimum) return [`${at} must be at least ${schema.minimum}.`];
  if (schema.maximum !== undefined && value > schema.maximum) return [`${at} must be at most ${schema.maximum}.`];
  return [];
}

/** Fills absent members with the defaults of the schema. */
export function withDefaults(value: Fields, schema: Schema): Fields {
  const filled = Object.entries(schema.properties ?? {}).map(([name, property]): [string, unknown] => [
    name,
    value[name] === undefined ? property.default : value[name],
  ]);
  return { ...value, ...Object.fromEntries(filled.filter(([, each]) => each !== undefined)) };
}
