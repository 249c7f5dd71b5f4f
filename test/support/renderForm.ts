import type { FormField, ToolForm } from '../../src/core/index.ts';

/** A form as indented text, one field a line: `name* kind details`. */
export function renderForm(form: ToolForm): string {
  const lines = render(form.fields, '');
  return [...lines, ...(form.complete ? [] : ['(more as JSON)'])].join('\n');
}

function render(fields: readonly FormField[], indent: string): readonly string[] {
  return fields.flatMap((field) => {
    const marks = `${field.required ? '*' : ''}${field.nullable ? '?' : ''}`;
    const title = field.label === field.name ? '' : ` "${field.label}"`;
    const initial = field.default === undefined ? '' : ` = ${JSON.stringify(field.default)}`;
    const line = `${indent}${field.name}${marks}${title} ${details(field)}${initial}`;
    return field.kind === 'group' ? [line, ...render(field.fields, `${indent}  `)] : [line];
  });
}

function details(field: FormField): string {
  switch (field.kind) {
    case 'text':
      return words(field.multiline ? 'multiline' : 'text', field.format, limits(field.minLength, field.maxLength));
    case 'number':
      return words(
        field.integer ? 'integer' : 'number',
        `${field.minExclusive ? 'above ' : ''}${limits(field.min, field.max) ?? ''}${field.maxExclusive ? ' exclusive' : ''}`,
        field.step === undefined ? undefined : `step ${field.step}`,
      );
    case 'choice':
    case 'choices':
      return words(field.kind, field.options.map((option) => option.label).join('|'));
    case 'list':
      return words(`list of ${field.item.kind}`, limits(field.minItems, field.maxItems));
    case 'json':
      return `json ${field.expects}`;
    case 'boolean':
    case 'group':
      return field.kind;
  }
}

function limits(min: number | undefined, max: number | undefined): string | undefined {
  return min === undefined && max === undefined ? undefined : `${min ?? ''}..${max ?? ''}`;
}

function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}
