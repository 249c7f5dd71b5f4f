import { assertNever } from '../base/errors.ts';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  jsonEquals,
  type JsonObject,
  nestsDeeperThan,
  parseJson,
} from '../base/json.ts';
import type {
  ChoicesField,
  CountRules,
  FieldValue,
  FormField,
  FormValues,
  GroupField,
  JsonField,
  LeafField,
  ListField,
  NumberRules,
  TextRules,
  ToolForm,
} from './fields.ts';
import { initialValue } from './enteredValue.ts';

type Collected = { readonly kind: 'arguments'; readonly args: JsonObject } | InvalidArguments;

interface InvalidArguments {
  readonly kind: 'invalid';
  /** Error messages by field id, in field order. */
  readonly errors: Readonly<Record<string, string>>;
  /** The arguments without the invalid fields. */
  readonly rest: JsonObject;
  /** The arguments including invalid fields as entered. Fields in `lost` are missing. */
  readonly entered: JsonObject;
  /** Ids of the fields whose text cannot be a JSON value. */
  readonly lost: readonly string[];
}

/** The result of reading one field. */
type Reading =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'absent' }
  | WrongReading
  /** A group with invalid members. */
  | ({ readonly kind: 'wrongGroup' } & Members);

interface WrongReading {
  readonly kind: 'wrong';
  readonly problem: string;
  /** `absent`: a required field is empty. `lost`: the text cannot be a JSON value. */
  readonly entered: { readonly value: Json } | 'absent' | 'lost';
}

const ABSENT: Reading = { kind: 'absent' };

/** Builds a tool's arguments from the entered values. Omits empty optional fields. */
export function collectArguments(form: ToolForm, values: FormValues): Collected {
  const { rest, entered, errors, lost } = membersOf(form.fields, values);
  if (errors.length === 0) return { kind: 'arguments', args: rest };
  return { kind: 'invalid', errors: Object.fromEntries(errors), rest, entered, lost };
}

interface Members extends Pick<InvalidArguments, 'rest' | 'entered' | 'lost'> {
  readonly errors: readonly (readonly [string, string])[];
}

function membersOf(fields: readonly FormField[], values: FormValues): Members {
  const rest: [string, Json][] = [];
  const entered: [string, Json][] = [];
  const errors: (readonly [string, string])[] = [];
  const lost: string[] = [];
  for (const field of fields) {
    const reading = read(field, values);
    if (reading.kind === 'value') {
      rest.push([field.name, reading.value]);
      entered.push([field.name, reading.value]);
    } else if (reading.kind === 'wrongGroup') {
      rest.push([field.name, reading.rest]);
      entered.push([field.name, reading.entered]);
      errors.push(...reading.errors);
      lost.push(...reading.lost);
    } else if (reading.kind === 'wrong') {
      errors.push([field.id, reading.problem]);
      if (reading.entered === 'lost') lost.push(field.id);
      else if (reading.entered !== 'absent') entered.push([field.name, reading.entered.value]);
    }
  }
  return { rest: Object.fromEntries(rest), entered: Object.fromEntries(entered), errors, lost };
}

function read(field: FormField, values: FormValues): Reading {
  const reading = field.kind === 'group' ? readGroup(field, values) : readLeaf(field, values[field.id]);
  if (reading.kind !== 'absent' || !field.required) return reading;
  return field.nullable ? valueOf(null) : wrong(missing(field), 'absent');
}

function missing(field: FormField): string {
  switch (field.kind) {
    case 'choice':
      return 'Choose a value: the tool needs one.';
    case 'text':
      return 'Enter a text: the tool needs one. An empty text can be sent with Edit as JSON.';
    default:
      return 'Enter a value: the tool needs one.';
  }
}

/** Omits an optional group without changes, so that the server applies its own defaults. */
function readGroup(field: GroupField, values: FormValues): Reading {
  if (!field.required && isUntouched(field.fields, values)) return ABSENT;
  const members = membersOf(field.fields, values);
  return members.errors.length === 0 ? valueOf(members.rest) : { kind: 'wrongGroup', ...members };
}

export function isUntouched(fields: readonly FormField[], values: FormValues): boolean {
  return fields.every((field) => {
    if (field.kind === 'group') return isUntouched(field.fields, values);
    const value = values[field.id];
    return value === undefined || value === '' || jsonEquals(value, initialValue(field));
  });
}

/** Reads one field, ignoring whether it is required. */
export function readLeaf(field: LeafField, value: FieldValue | undefined): Reading {
  const text = typeof value === 'string' ? value : '';
  const list = typeof value === 'object' ? value : undefined;
  switch (field.kind) {
    case 'text':
      return text === '' ? ABSENT : judged(text, textProblem(field, text));
    case 'number':
      return text.trim() === '' ? ABSENT : judged(numberOrText(field, text), numberProblem(field, text));
    case 'boolean':
      return typeof value === 'boolean' ? valueOf(value) : empty(field, false);
    case 'choice':
      return chosen(field.options, text);
    case 'choices':
      return list === undefined ? empty(field, []) : readChoices(field, list);
    case 'list':
      return list === undefined ? empty(field, []) : readList(field, list);
    case 'json':
      return readJson(field, text);
    default:
      return assertNever(field);
  }
}

/** A required switch defaults to off and a required list to empty. Optional fields are omitted. */
function empty(field: FormField, value: false | readonly []): Reading {
  if (!field.required || field.nullable) return ABSENT;
  return 'minItems' in field && value !== false ? counted(field, value) : valueOf(value);
}

function valueOf(value: Json): Reading {
  return { kind: 'value', value };
}

function wrong(problem: string, entered: WrongReading['entered']): Reading {
  return { kind: 'wrong', problem, entered };
}

function judged(value: Json, problem: string | undefined): Reading {
  return problem === undefined ? valueOf(value) : wrong(problem, { value });
}

/** Keeps text that is not a number, and digits that a number would lose. */
function numberOrText(rules: NumberRules, text: string): number | string {
  const value = Number(text);
  const isNumber = /\d/.test(text) && Number.isFinite(value);
  return isNumber && !losesDigits(rules, value) ? value : text;
}

function losesDigits(rules: NumberRules, value: number): boolean {
  return rules.integer && Number.isInteger(value) && !Number.isSafeInteger(value);
}

function textProblem(rules: TextRules, text: string): string | undefined {
  // Schemas count characters, not UTF-16 units.
  const length = [...text].length;
  if (rules.minLength !== undefined && length < rules.minLength) return `Enter at least ${rules.minLength} characters.`;
  if (rules.maxLength !== undefined && length > rules.maxLength) return `Enter at most ${rules.maxLength} characters.`;
  return undefined;
}

function numberProblem(rules: NumberRules, text: string): string | undefined {
  const value = Number(text);
  if (!/\d/.test(text) || !Number.isFinite(value)) return `Enter a ${rules.integer ? 'whole ' : ''}number.`;
  if (rules.integer && !Number.isInteger(value)) return 'Enter a whole number.';
  if (losesDigits(rules, value)) return 'Enter a smaller number: this one would lose digits.';
  if (rules.step !== undefined && !isMultiple(value, rules.step)) return `Enter a multiple of ${rules.step}.`;
  return rangeProblem(rules, value);
}

function rangeProblem(rules: NumberRules, value: number): string | undefined {
  const { min, max } = rules;
  if (min !== undefined && (rules.minExclusive ? value <= min : value < min))
    return `Enter a number ${rules.minExclusive ? 'above' : 'of at least'} ${min}.`;
  if (max !== undefined && (rules.maxExclusive ? value >= max : value > max))
    return `Enter a number ${rules.maxExclusive ? 'below' : 'of at most'} ${max}.`;
  return undefined;
}

/** Allows for binary rounding: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

function chosen(options: readonly { readonly value: Json }[], index: string): Reading {
  const option = index === '' ? undefined : options[Number(index)];
  return option === undefined ? ABSENT : valueOf(option.value);
}

function readChoices(field: ChoicesField, indexes: readonly string[]): Reading {
  const values = indexes.map((index) => field.options[Number(index)]?.value).filter((value) => value !== undefined);
  return counted(field, values);
}

function readList(field: ListField, rows: readonly string[]): Reading {
  const { item } = field;
  const values = item.kind === 'number' ? rows.map((row) => numberOrText(item, row)) : rows;
  for (const [index, row] of rows.entries()) {
    const problem = item.kind === 'number' ? numberProblem(item, row) : textProblem(item, row);
    if (problem !== undefined) return judged(values, `Row ${index + 1}: ${problem}`);
  }
  return counted(field, values);
}

function counted(field: FormField & CountRules, values: readonly Json[]): Reading {
  const { minItems, maxItems } = field;
  // All rows were removed: omit the optional field.
  if (values.length === 0 && !field.required && minItems !== undefined && minItems > 0) return ABSENT;
  if (minItems !== undefined && values.length < minItems) return judged(values, `Give at least ${minItems}.`);
  if (maxItems !== undefined && values.length > maxItems) return judged(values, `Give at most ${maxItems}.`);
  return valueOf(values);
}

function readJson(field: JsonField, text: string): Reading {
  if (text.trim() === '') return ABSENT;
  const parsed = parseArgument(text);
  if (parsed.kind === 'wrong') return wrong(parsed.problem, 'lost');
  const { value } = parsed;
  if (field.expects === 'array' && !isJsonArray(value)) return judged(value, 'Enter a JSON list: [ … ].');
  if (field.expects === 'object' && !isJsonObject(value))
    return value === null && field.nullable ? valueOf(null) : judged(value, 'Enter a JSON object: { … }.');
  return valueOf(value);
}

type ParsedArgument =
  { readonly kind: 'value'; readonly value: Json } | { readonly kind: 'wrong'; readonly problem: string };

/** Parses JSON that the user entered. */
export function parseArgument(text: string): ParsedArgument {
  if (nestsDeeperThan(text)) return { kind: 'wrong', problem: 'Enter JSON that nests less deeply.' };
  try {
    return { kind: 'value', value: parseJson(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'wrong', problem: `This is not JSON: ${reason}. Texts need double quotes.` };
  }
}
