import { assertNever } from '../base/errors.ts';
import { isJsonArray, type Json, jsonEquals } from '../base/json.ts';
import type { FieldValue, LeafField, ListField, Option } from './fields.ts';

/** The initial value of a field: the schema's default. */
export function initialValue(field: LeafField): FieldValue | undefined {
  return field.default === undefined ? undefined : asEntered(field, field.default);
}

/** A value in the form in which a user enters it. `undefined` if this field cannot hold it. */
export function asEntered(field: LeafField, value: Json): FieldValue | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'number':
      return typeof value === 'number' ? String(value) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'choice':
      return indexOf(field.options, value);
    case 'choices':
      return isJsonArray(value) ? allOrNone(value.map((item) => indexOf(field.options, item))) : undefined;
    case 'list':
      return isJsonArray(value) ? allOrNone(value.map((item) => row(field.item, item))) : undefined;
    case 'json':
      return JSON.stringify(value, null, 2);
    default:
      return assertNever(field);
  }
}

function indexOf(options: readonly Option[], value: Json): string | undefined {
  const index = options.findIndex((option) => jsonEquals(option.value, value));
  return index < 0 ? undefined : String(index);
}

function row(item: ListField['item'], value: Json): string | undefined {
  if (item.kind === 'text') return typeof value === 'string' ? value : undefined;
  return typeof value === 'number' ? String(value) : undefined;
}

function allOrNone(rows: readonly (string | undefined)[]): readonly string[] | undefined {
  const given = rows.filter((value) => value !== undefined);
  return given.length === rows.length ? given : undefined;
}
