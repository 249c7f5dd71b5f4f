import { isJsonObject, type Json, jsonEquals, type JsonObject } from '../base/json.ts';
import { isUntouched, readLeaf } from './collectArguments.ts';
import { asEntered, initialValue } from './enteredValue.ts';
import type { FieldValue, FormField, FormValues, LeafField, ToolForm } from './fields.ts';

/** The initial values of a form: the schema's defaults. */
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
 * Converts arguments to form values. Returns `undefined` if the form would lose a part of them. Invalid or missing
 * values are fine: the form reports them on submit.
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
