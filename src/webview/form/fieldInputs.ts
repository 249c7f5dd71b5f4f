import { button, element } from '../shared/elements.ts';
import type { FieldView, ItemView, NumberView, TextView, ValuesView, ValueView } from './formMessages.ts';

/** A field of the form. */
export interface FieldControl {
  readonly root: HTMLElement;
  /** The entered values by field id. Untouched fields are absent. */
  read(): readonly (readonly [string, ValueView])[];
  /** Marks errors. Returns the element to focus if this field is the first invalid one. */
  mark(errors: Readonly<Record<string, string>>): HTMLElement | undefined;
}

interface Part {
  /** The element that the label refers to and that gets the focus. */
  readonly input: HTMLElement;
  /** The input and related elements. */
  readonly body: readonly Node[];
  read(): ValueView | undefined;
}

/** Counter for element ids. Field ids come from the server, so they are not used. */
let count = 0;

export function fieldControl(field: FieldView, values: ValuesView, changed: () => void): FieldControl {
  if (field.kind === 'group') return groupControl(field, values, changed);
  const key = `field-${++count}`;
  const error = element('div', { id: `${key}-error`, class: 'error' });
  const mark = (problem: string | undefined): void => {
    error.textContent = problem ?? '';
    root.classList.toggle('invalid', problem !== undefined);
    part.input.setAttribute('aria-invalid', String(problem !== undefined));
  };
  const part = partOf(field, values[field.id], key, () => {
    // Clears the error once the user edits the field. The next run validates it again.
    mark(undefined);
    changed();
  });
  const described = `${key}-description ${key}-error`;
  part.input.setAttribute('aria-describedby', described);
  // The text next to the checkbox is its description, and its name is above.
  if (field.kind === 'boolean') part.input.setAttribute('aria-label', field.label);
  else if (field.required) part.input.setAttribute('aria-required', 'true');
  const root = element('div', { class: `field ${field.kind}`, children: [...frame(field, key, part), error] });
  return {
    root,
    read: () => {
      const value = part.read();
      return value === undefined ? [] : [[field.id, value]];
    },
    mark: (errors) => {
      const problem = errors[field.id];
      mark(problem);
      return problem === undefined ? undefined : part.input;
    },
  };
}

function groupControl(
  field: Extract<FieldView, { kind: 'group' }>,
  values: ValuesView,
  changed: () => void,
): FieldControl {
  const members = field.fields.map((member) => fieldControl(member, values, changed));
  const legend = element('legend', { children: labelTexts(field) });
  const root = element('fieldset', {
    class: 'field group',
    children: [legend, ...describe(field, `group-${++count}`), ...members.map((member) => member.root)],
  });
  return {
    root,
    read: () => members.flatMap((member) => member.read()),
    mark: (errors) => {
      const marked = members.map((member) => member.mark(errors));
      return marked.find((input) => input !== undefined);
    },
  };
}

/** Label, description and input, in the order of the settings editor. */
function frame(field: FieldView, key: string, part: Part): readonly Node[] {
  const isSingle = field.kind !== 'choices' && field.kind !== 'list';
  if (field.kind === 'boolean') return checkFrame(field, key, part);
  const label = isSingle
    ? element('label', { class: 'label', attributes: { for: key }, children: labelTexts(field) })
    : element('div', { id: `${key}-label`, class: 'label', children: labelTexts(field) });
  return [label, ...describe(field, key), ...part.body];
}

/** As in the settings editor: the description, if any, is the text of the checkbox. */
function checkFrame(field: FieldView, key: string, part: Part): readonly Node[] {
  const description = describe(field, key);
  const isEmpty = field.description === '';
  const text = element('label', { attributes: { for: key }, children: isEmpty ? labelTexts(field) : description });
  const row = element('div', { class: 'check', children: [...part.body, text] });
  return isEmpty ? [row, ...description] : [element('div', { class: 'label', children: labelTexts(field) }), row];
}

function labelTexts(field: FieldView): readonly Node[] {
  const parts: Node[] = [element('span', { text: field.label })];
  if (field.label !== field.name) parts.push(element('code', { class: 'name', text: field.name }));
  if (field.required && field.kind !== 'boolean') parts.push(element('span', { class: 'required', text: 'required' }));
  return parts;
}

function describe(field: FieldView, key: string): readonly Node[] {
  const hints = [field.description, limitText(field), exampleText(field)].filter((text) => text !== '');
  const text = hints.join('\n');
  if (text === '') return [element('div', { id: `${key}-description`, class: 'description empty' })];
  return [element('div', { id: `${key}-description`, class: 'description', text })];
}

function exampleText({ examples }: FieldView): string {
  return examples.length === 0 ? '' : `For example: ${examples.join(', ')}`;
}

function limitText(field: FieldView): string {
  if (field.kind === 'number') return numberLimits(field);
  if (field.kind === 'text') return field.pattern === undefined ? '' : `Must match ${field.pattern}`;
  if (field.kind !== 'list') return '';
  return field.item.kind === 'number' ? numberLimits(field.item) : '';
}

function numberLimits({ min, max }: NumberView): string {
  if (min !== undefined && max !== undefined) return `From ${min} to ${max}`;
  if (min !== undefined) return `From ${min}`;
  return max === undefined ? '' : `Up to ${max}`;
}

function partOf(
  field: Exclude<FieldView, { kind: 'group' }>,
  value: ValueView | undefined,
  key: string,
  changed: () => void,
): Part {
  switch (field.kind) {
    case 'text':
      return field.multiline ? areaPart(key, textOf(value), changed) : inputPart(key, field, textOf(value), changed);
    case 'number':
      return inputPart(key, field, textOf(value), changed);
    case 'boolean':
      return checkPart(key, value, changed);
    case 'choice':
      return selectPart(key, field, textOf(value), changed);
    case 'choices':
      return checksPart(key, field, listOf(value), changed);
    case 'list':
      return listPart(key, field, listOf(value), changed);
    case 'json':
      return areaPart(key, textOf(value), changed, { array: '[ ]', object: '{ }', any: 'JSON' }[field.expects]);
  }
}

function textOf(value: ValueView | undefined): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: ValueView | undefined): readonly string[] | undefined {
  return typeof value === 'object' ? value : undefined;
}

function inputPart(key: string, kind: ItemView, value: string, changed: () => void): Part {
  const input = lineInput(kind, value, changed);
  input.id = key;
  return { input, body: [input], read: () => input.value };
}

function lineInput(kind: ItemView, value: string, changed: () => void): HTMLInputElement {
  const input = element('input', { attributes: { autocomplete: 'off', spellcheck: 'false' } });
  // A number input hides invalid text, which the user may want to send.
  if (kind.kind === 'number') input.inputMode = kind.integer ? 'numeric' : 'decimal';
  else {
    input.type = kind.format === 'password' ? 'password' : 'text';
    input.placeholder = placeholderOf(kind);
  }
  input.value = value;
  input.addEventListener('input', changed);
  return input;
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  uri: 'https://…',
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'name@example.com',
};

function placeholderOf({ format }: TextView): string {
  return format === undefined ? '' : (PLACEHOLDERS[format] ?? '');
}

function areaPart(key: string, value: string, changed: () => void, placeholder?: string): Part {
  const area = element('textarea', { id: key, attributes: { rows: '3', spellcheck: 'false' } });
  if (placeholder !== undefined) {
    area.placeholder = placeholder;
    area.classList.add('code');
  }
  area.value = value;
  area.addEventListener('input', changed);
  return { input: area, body: [area], read: () => area.value };
}

function checkPart(key: string, value: ValueView | undefined, changed: () => void): Part {
  const input = element('input', { id: key, attributes: { type: 'checkbox' } });
  // Omitted until the user clicks it, so that the server applies its own default.
  let touched = typeof value === 'boolean';
  input.checked = value === true;
  input.addEventListener('change', () => {
    touched = true;
    changed();
  });
  return { input, body: [input], read: () => (touched ? input.checked : undefined) };
}

type ChoiceView = Extract<FieldView, { kind: 'choice' | 'choices' }>;

function selectPart(key: string, field: ChoiceView, value: string, changed: () => void): Part {
  const select = element('select', { id: key });
  select.append(new Option(field.required ? '(choose)' : '(not set)', ''));
  for (const [index, option] of field.options.entries()) {
    const made = new Option(option.label, String(index));
    made.title = option.description;
    select.append(made);
  }
  select.value = value;
  select.addEventListener('change', changed);
  return { input: select, body: [element('div', { class: 'select', children: [select] })], read: () => select.value };
}

function checksPart(key: string, field: ChoiceView, value: readonly string[] | undefined, changed: () => void): Part {
  let touched = value !== undefined;
  const boxes = field.options.map((option, index) => {
    const box = element('input', { id: `${key}-${index}`, attributes: { type: 'checkbox' } });
    box.checked = value?.includes(String(index)) === true;
    box.addEventListener('change', () => {
      touched = true;
      changed();
    });
    const label = element('label', { text: option.label, attributes: { for: box.id, title: option.description } });
    return { box, row: element('div', { class: 'check', children: [box, label] }) };
  });
  const group = element('div', {
    class: 'checks',
    attributes: { role: 'group', tabindex: '-1', 'aria-labelledby': `${key}-label` },
    children: boxes.map(({ row }) => row),
  });
  const chosen = (): readonly string[] => boxes.flatMap(({ box }, index) => (box.checked ? [String(index)] : []));
  return { input: group, body: [group], read: () => (touched ? chosen() : undefined) };
}

function listPart(
  key: string,
  field: Extract<FieldView, { kind: 'list' }>,
  value: readonly string[] | undefined,
  changed: () => void,
): Part {
  let touched = value !== undefined;
  const rows = element('div', { class: 'rows', attributes: { role: 'list', 'aria-labelledby': `${key}-label` } });
  const add = (text: string): HTMLInputElement => {
    const input = lineInput(field.item, text, changed);
    input.setAttribute('aria-label', `${field.label}, row`);
    const row = element('div', { class: 'row', attributes: { role: 'listitem' }, children: [input] });
    const remove = button('✕', 'link', () => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector('input') ?? more).focus();
      changed();
    });
    remove.setAttribute('aria-label', `Remove this row of ${field.label}`);
    remove.title = 'Remove';
    row.append(remove);
    rows.append(row);
    return input;
  };
  const more = button('Add Row', 'secondary', () => {
    touched = true;
    add('').focus();
    changed();
  });
  for (const text of value ?? []) add(text);
  const list = element('div', {
    class: 'list',
    attributes: { role: 'group', tabindex: '-1', 'aria-labelledby': `${key}-label` },
    children: [rows, more],
  });
  const read = (): readonly string[] => [...rows.querySelectorAll('input')].map((input) => input.value);
  return { input: list, body: [list], read: () => (touched ? read() : undefined) };
}
