import { isJsonObject, type Json, jsonEquals, type JsonObject } from '../base/json.ts';
import { isUntouched, readLeaf } from './collectArguments.ts';
import { asEntered, initialValue } from './enteredValue.ts';
import type { FieldValue, FormField, FormValues, LeafField, ToolForm } from './fields.ts';

/** What a form shows when it opens: the schema's defaults. */
export function initialValues(form: ToolForm): FormValues {
  return Object.fromEntries(initials(form.fields));
}

function initials(fields: readonly FormField[]): readonly (readonly [string, FieldValue])[] {
  return fields.flatMap((field) => {
    if (field.kind === 'group') return initials(field.fields);
    const value = initialValue(field);
    return value === undefined ? [] : [[field.id, value] as const];
  });
}

/**
 * Shows given arguments in the form, or nothing at all where the form would lose a part of them. What is wrong or
 * missing is no loss: the form shows it, and says so when it is sent.
 */
export function fillForm(form: ToolForm, args: JsonObject): FormValues | undefined {
  const values = new Map<string, FieldValue>();
  return fillMembers(form.fields, args, values) ? Object.fromEntries(values) : undefined;
}

function fillMembers(fields: readonly FormField[], args: JsonObject, values: Map<string, FieldValue>): boolean {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.entries(args).every(([name, value]) => {
    if (value === undefined) return true;
    const field = byName.get(name);
    if (field === undefined) return false;
    if (field.kind !== 'group') return fillLeaf(field, value, values);
    if (!isJsonObject(value)) return isMeantByEmpty(field, value);
    const filled = fillMembers(field.fields, value, values);
    return filled && (field.required || !isUntouched(field.fields, Object.fromEntries(values)));
  });
}

function fillLeaf(field: LeafField, value: Json, values: Map<string, FieldValue>): boolean {
  const shown = asEntered(field, value);
  if (shown === undefined) return isMeantByEmpty(field, value);
  values.set(field.id, shown);
  const reading = readLeaf(field, shown);
  return reading.kind === 'value' ? jsonEquals(reading.value, value) : reading.kind === 'wrong';
}

function isMeantByEmpty(field: FormField, value: Json): boolean {
  return value === null && field.required && field.nullable;
}
