import type { FieldValue, FormField } from '../core/index.ts';

export type LeafField = Exclude<FormField, { kind: 'group' }>;

export type Entry =
  { readonly kind: 'value'; readonly value: FieldValue } | { readonly kind: 'wrong'; readonly problem: string };

/** How a field is asked for: lines to be shown, and the beginning of the line on which the person writes. */
export function fieldPrompt(field: LeafField, shown: FieldValue | undefined): readonly [readonly string[], string] {
  const facts = [wordFor(field), ...(field.required ? ['required'] : [])].join(', ');
  const options = 'options' in field ? field.options.map(({ label }, index) => `  ${index + 1}. ${label}`) : [];
  const lines = [...(field.description === '' ? [] : [`  ${field.description}`]), ...options];
  const preset = shown === undefined || shown === '' ? '' : ` [${shownText(shown, field)}]`;
  return [lines, `${field.label} (${facts})${preset}: `];
}

function wordFor(field: LeafField): string {
  switch (field.kind) {
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return `1 to ${field.options.length}`;
    case 'choices':
      return `some of 1 to ${field.options.length}, such as 1,2`;
    case 'list':
      return `${field.item.kind}s with commas between them`;
    case 'json':
      return 'JSON';
    case 'number':
      return field.integer ? 'whole number' : 'number';
    case 'text':
      return field.format ?? 'text';
  }
}

function shownText(value: FieldValue, field: LeafField): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const parts = typeof value === 'string' ? [value] : value;
  // Options are kept by their index, and shown counted from one.
  return ('options' in field ? parts.map((index) => String(Number(index) + 1)) : parts).join(',');
}

/** What a person typed, as the form keeps it. Whether the field may have that value is judged later, with the others. */
export function fieldEntry(field: LeafField, typed: string): Entry {
  switch (field.kind) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(typed)) return { kind: 'value', value: true };
      if (/^(n|no|false)$/i.test(typed)) return { kind: 'value', value: false };
      return { kind: 'wrong', problem: 'Answer yes or no.' };
    case 'choice':
      return chosen(field.options.length, [typed], ([index = '']) => index);
    case 'choices':
      return chosen(field.options.length, split(typed), (indexes) => indexes);
    case 'list':
      return { kind: 'value', value: split(typed) };
    case 'number':
    case 'json':
    case 'text':
      return { kind: 'value', value: typed };
  }
}

function split(typed: string): readonly string[] {
  return typed.split(',').map((part) => part.trim());
}

function chosen(count: number, typed: readonly string[], valueOf: (indexes: readonly string[]) => FieldValue): Entry {
  const numbers = typed.map((part) => (/^\d{1,6}$/.test(part.trim()) ? Number(part) : 0));
  if (numbers.some((number) => number < 1 || number > count))
    return { kind: 'wrong', problem: `Enter a number from 1 to ${count}.` };
  return { kind: 'value', value: valueOf(numbers.map((number) => String(number - 1))) };
}
