import {
  collectArguments,
  fillForm,
  type FormField,
  isJsonObject,
  type JsonObject,
  parseArgument,
  type ToolForm,
} from '../../core/index.ts';
import type { Entered, ToPage, ValuesView } from '../../webview/form/formMessages.ts';

type ReadArguments =
  | { readonly kind: 'arguments'; readonly args: JsonObject }
  /** The arguments do not match the schema. They are sent only if the user insists. */
  | { readonly kind: 'misfit'; readonly errors: FieldErrors; readonly args: JsonObject }
  /** The input cannot be sent, because it is not a JSON object. */
  | { readonly kind: 'unsendable'; readonly errors: FieldErrors };

type FieldErrors = Readonly<Record<string, string>>;

/** Converts the user's input to arguments. */
export function readArguments(form: ToolForm, entered: Entered): ReadArguments {
  if (entered.mode === 'form') return readForm(form, entered.values);
  if (entered.text.trim() === '') return { kind: 'arguments', args: {} };
  const parsed = parseArgument(entered.text);
  if (parsed.kind === 'wrong') return { kind: 'unsendable', errors: { '': parsed.problem } };
  if (isJsonObject(parsed.value)) return { kind: 'arguments', args: parsed.value };
  return { kind: 'unsendable', errors: { '': 'Enter a JSON object: { … }.' } };
}

function readForm(form: ToolForm, values: ValuesView): ReadArguments {
  const collected = collectArguments(form, values);
  if (collected.kind === 'arguments') return collected;
  const { errors, entered, lost } = collected;
  return lost.length > 0 ? { kind: 'unsendable', errors } : { kind: 'misfit', errors, args: entered };
}

/** The message for input that cannot be sent, or only with *Send Anyway*. */
export function refusal(read: Exclude<ReadArguments, { kind: 'arguments' }>): ToPage {
  const { errors, kind } = read;
  return kind === 'misfit'
    ? { type: 'errors', errors, refused: { reason: MISFIT, canSendAnyway: true } }
    : { type: 'errors', errors, refused: { reason: UNSENDABLE, canSendAnyway: false } };
}

const MISFIT = 'Nothing was sent, because the arguments do not fit the tool. Correct them, or send them as they are.';
const UNSENDABLE = 'Nothing was sent, because a call carries only a JSON object. Correct the marked text.';

/** Converts between form and JSON, unless that would lose data. */
export function switched(form: ToolForm, entered: Entered): ToPage {
  if (entered.mode === 'form') return formAsJson(form, entered.values);
  const read = readArguments(form, entered);
  if (read.kind !== 'arguments') return { type: 'errors', errors: read.errors };
  const values = fillForm(form, read.args);
  if (values !== undefined) return { type: 'form', values };
  return { type: 'errors', errors: { '': 'The form cannot show all of these arguments. Keep editing them as JSON.' } };
}

/** Includes invalid and missing values. */
function formAsJson(form: ToolForm, values: ValuesView): ToPage {
  const collected = collectArguments(form, values);
  if (collected.kind === 'arguments') return { type: 'json', text: JSON.stringify(collected.args, null, 2) };
  const { errors, entered, lost } = collected;
  if (lost.length === 0) return { type: 'json', text: JSON.stringify(entered, null, 2) };
  return { type: 'errors', errors: Object.fromEntries(lost.map((id) => [id, errors[id] ?? ''])) };
}

/** Whether the arguments may contain a secret and must not be stored. */
export function hasSecrets(fields: readonly FormField[]): boolean {
  return fields.some((field) => {
    if (field.kind === 'group') return hasSecrets(field.fields);
    if (field.kind === 'text') return field.format === 'password';
    return field.kind === 'list' && field.item.kind === 'text' && field.item.format === 'password';
  });
}
