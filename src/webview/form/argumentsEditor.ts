import { element, show } from '../shared/elements.ts';
import { type FieldControl, fieldControl } from './fieldInputs.ts';
import type { Entered, FieldView, ToolView, ValuesView } from './formMessages.ts';

/** Edits the arguments, as a form or as JSON. */
export class ArgumentsEditor {
  readonly root: HTMLElement;
  readonly #form = element('div', { class: 'fields' });
  readonly #json: HTMLElement;
  readonly #text = element('textarea', {
    id: 'arguments-json',
    class: 'code',
    attributes: { rows: '12', spellcheck: 'false', 'aria-describedby': 'arguments-error' },
  });
  readonly #error = element('div', { id: 'arguments-error', class: 'error', attributes: { role: 'alert' } });
  readonly #changed: () => void;
  #fields: readonly FieldView[] = [];
  #controls: readonly FieldControl[] = [];
  #mode: Entered['mode'] = 'form';

  constructor(changed: () => void) {
    this.#changed = changed;
    const label = element('label', { class: 'label', text: 'Arguments as JSON', attributes: { for: this.#text.id } });
    this.#json = element('div', { class: 'field json', children: [label, this.#text] });
    this.#text.addEventListener('input', changed);
    this.root = element('div', { children: [this.#form, this.#json, this.#error] });
    this.#showMode();
  }

  get mode(): Entered['mode'] {
    return this.#mode;
  }

  get entered(): Entered {
    return this.#mode === 'json' ? { mode: 'json', text: this.text } : { mode: 'form', values: this.values };
  }

  get values(): ValuesView {
    return Object.fromEntries(this.#controls.flatMap((control) => control.read()));
  }

  get text(): string {
    return this.#text.value;
  }

  setTool({ fields }: ToolView, values: ValuesView): void {
    this.#fields = fields;
    this.#build(values);
  }

  showForm(values: ValuesView): void {
    this.#mode = 'form';
    this.#build(values);
    this.#showMode();
  }

  showJson(text: string): void {
    this.#mode = 'json';
    this.#text.value = text;
    this.mark({});
    this.#showMode();
  }

  /** Marks invalid fields and focuses the first. Errors without a field appear below. */
  mark(errors: Readonly<Record<string, string>>): void {
    const marked = this.#controls.map((control) => control.mark(errors)).find((input) => input !== undefined);
    const general = errors[''] ?? '';
    this.#error.textContent = general;
    this.#text.setAttribute('aria-invalid', String(general !== ''));
    const target = this.#mode === 'json' && general !== '' ? this.#text : marked;
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  }

  focus(): void {
    const inputs = 'input, select, textarea';
    (this.#mode === 'json' ? this.#text : this.#form.querySelector<HTMLElement>(inputs))?.focus();
  }

  #build(values: ValuesView): void {
    this.#controls = this.#fields.map((field) => fieldControl(field, values, this.#changed));
    const none = element('p', { class: 'description', text: 'This tool takes no arguments.' });
    this.#form.replaceChildren(...(this.#controls.length === 0 ? [none] : this.#controls.map(({ root }) => root)));
    this.#error.textContent = '';
  }

  #showMode(): void {
    show(this.#form, this.#mode === 'form');
    show(this.#json, this.#mode === 'json');
  }
}
