import type { Json } from '../base/json.ts';

/** Common members of all fields. All texts are plain and bounded. */
export interface FieldBase {
  /** JSON pointer to the field in the arguments, such as `/filter/name`. */
  readonly id: string;
  /** The member's name in the arguments. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  /** Whether `null` is valid. An empty required field then means `null`. */
  readonly nullable: boolean;
  readonly examples: readonly string[];
  readonly default: Json | undefined;
}

interface TextField extends FieldBase, TextRules {
  readonly kind: 'text';
  readonly multiline: boolean;
}

/** A pattern is shown but never run, because a hostile one could take forever. */
export interface TextRules {
  readonly format: TextFormat | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
}

export type TextFormat = 'password' | 'uri' | 'email' | 'date' | 'time' | 'date-time' | 'uuid';

interface NumberField extends FieldBase, NumberRules {
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

interface BooleanField extends FieldBase {
  readonly kind: 'boolean';
}

export interface Option {
  readonly label: string;
  readonly description: string;
  readonly value: Json;
}

/** Select one value. The form's value is the option's index. */
interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly options: readonly Option[];
}

/** Select several values. The form's value is the list of selected indexes. */
export interface ChoicesField extends FieldBase, CountRules {
  readonly kind: 'choices';
  readonly options: readonly Option[];
}

/** A list of texts or numbers, one per row. */
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

/** JSON text, for schemas that fit no other kind of field. */
export interface JsonField extends FieldBase {
  readonly kind: 'json';
  readonly expects: 'object' | 'array' | 'any';
}

export type FormField =
  TextField | NumberField | BooleanField | ChoiceField | ChoicesField | ListField | GroupField | JsonField;

export type LeafField = Exclude<FormField, GroupField>;

export interface ToolForm {
  readonly fields: readonly FormField[];
  /** Whether the fields cover all arguments. If not, the rest can only be entered as JSON. */
  readonly complete: boolean;
}

/** The entered values by field id. Untouched fields are absent. Groups have no value. */
export type FormValues = Readonly<Record<string, FieldValue>>;
export type FieldValue = string | boolean | readonly string[];

/** All fields in order, groups before their members. */
export function flatten(fields: readonly FormField[]): readonly FormField[] {
  return fields.flatMap((field) => (field.kind === 'group' ? [field, ...flatten(field.fields)] : [field]));
}
