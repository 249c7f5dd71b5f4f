import type { Json } from '../base/json.ts';

/** What every field of a form has. All texts are plain and bounded, whatever the schema said. */
export interface FieldBase {
  /** The field's place in the arguments as a JSON pointer: `/filter/name`. */
  readonly id: string;
  /** The member's name as the server wants it. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  /** Whether `null` is a value, which an empty but required field then means. */
  readonly nullable: boolean;
  readonly examples: readonly string[];
  readonly default: Json | undefined;
}

export interface TextField extends FieldBase, TextRules {
  readonly kind: 'text';
  readonly multiline: boolean;
}

/** A pattern is told to the person and never run: a hostile one could take forever. */
export interface TextRules {
  readonly format: TextFormat | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
}

export type TextFormat = 'password' | 'uri' | 'email' | 'date' | 'time' | 'date-time' | 'uuid';

export interface NumberField extends FieldBase, NumberRules {
  readonly kind: 'number';
}

export interface NumberRules {
  readonly integer: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly minExclusive: boolean;
  readonly maxExclusive: boolean;
  readonly step: number | undefined;
}

export interface BooleanField extends FieldBase {
  readonly kind: 'boolean';
}

export interface Option {
  readonly label: string;
  readonly description: string;
  readonly value: Json;
}

/** One of some values. The form's value is the option's index. */
export interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly options: readonly Option[];
}

/** Any of some values. The form's value is the indexes of those chosen. */
export interface ChoicesField extends FieldBase, CountRules {
  readonly kind: 'choices';
  readonly options: readonly Option[];
}

/** A list of texts or numbers, one row each. */
export interface ListField extends FieldBase, CountRules {
  readonly kind: 'list';
  readonly item: ({ readonly kind: 'text' } & TextRules) | ({ readonly kind: 'number' } & NumberRules);
}

export interface CountRules {
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
}

export interface GroupField extends FieldBase {
  readonly kind: 'group';
  readonly fields: readonly FormField[];
}

/** Whatever no other kind of field can hold, written as JSON. */
export interface JsonField extends FieldBase {
  readonly kind: 'json';
  readonly expects: 'object' | 'array' | 'any';
}

export type FormField =
  TextField | NumberField | BooleanField | ChoiceField | ChoicesField | ListField | GroupField | JsonField;

export type LeafField = Exclude<FormField, GroupField>;

export interface ToolForm {
  readonly fields: readonly FormField[];
  /** Whether the fields are all that the tool takes: otherwise the rest can only be written as JSON. */
  readonly complete: boolean;
}

/** What a person entered, by field id. Absent: never touched. Groups have no value of their own. */
export type FormValues = Readonly<Record<string, FieldValue>>;
export type FieldValue = string | boolean | readonly string[];

/** All fields in order, groups before their members. */
export function flatten(fields: readonly FormField[]): readonly FormField[] {
  return fields.flatMap((field) => (field.kind === 'group' ? [field, ...flatten(field.fields)] : [field]));
}
