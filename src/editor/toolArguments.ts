import {
  collectArguments,
  fillForm,
  type FormField,
  isJsonObject,
  type JsonObject,
  parseArgument,
  type ToolForm,
} from '../core/index.ts';
import type { Entered, ToPage, ValuesView } from '../webview/messages.ts';

export type ReadArguments =
  | { readonly kind: 'arguments'; readonly args: JsonObject }
  | { readonly kind: 'invalid'; readonly errors: Readonly<Record<string, string>> };

/** What was entered, as the arguments of a call. */
export function readArguments(form: ToolForm, entered: Entered): ReadArguments {
  if (entered.mode === 'form') return collectArguments(form, entered.values);
  if (entered.text.trim() === '') return { kind: 'arguments', args: {} };
  const parsed = parseArgument(entered.text);
  if (parsed.kind === 'wrong') return { kind: 'invalid', errors: { '': parsed.problem } };
  if (isJsonObject(parsed.value)) return { kind: 'arguments', args: parsed.value };
  return { kind: 'invalid', errors: { '': 'Enter a JSON object: { … }.' } };
}

/** Shows what was entered in the other way, unless a part of it would be lost. */
export function switched(form: ToolForm, entered: Entered): ToPage {
  if (entered.mode === 'form') return formAsJson(form, entered.values);
  const read = readArguments(form, entered);
  if (read.kind === 'invalid') return { type: 'errors', errors: read.errors };
  const values = fillForm(form, read.args);
  if (values !== undefined) return { type: 'form', values };
  return { type: 'errors', errors: { '': 'The form cannot show all of these arguments. Keep editing them as JSON.' } };
}

function formAsJson(form: ToolForm, values: ValuesView): ToPage {
  const collected = collectArguments(form, values);
  if (collected.kind === 'arguments') return { type: 'json', text: JSON.stringify(collected.args, null, 2) };
  // What is only missing can be written as JSON just as well; what is wrong would not come along.
  const lost = Object.entries(collected.errors).filter(([id]) => isEntered(values[id]));
  if (lost.length > 0) return { type: 'errors', errors: Object.fromEntries(lost) };
  return { type: 'json', text: JSON.stringify(collected.rest, null, 2) };
}

function isEntered(value: ValuesView[string] | undefined): boolean {
  return typeof value === 'string' ? value !== '' : typeof value === 'object' && value.length > 0;
}

/** Whether the arguments may hold a secret, which must not be kept for later. */
export function hasSecrets(fields: readonly FormField[]): boolean {
  return fields.some((field) => {
    if (field.kind === 'group') return hasSecrets(field.fields);
    if (field.kind === 'text') return field.format === 'password';
    return field.kind === 'list' && field.item.kind === 'text' && field.item.format === 'password';
  });
}
