import { button, element, show } from '../shared/elements.ts';
import { type FieldControl, fieldControl } from './fieldInputs.ts';
import type { ValuesView } from './formMessages.ts';
import type { FromQuestionPage, QuestionView, ToQuestionPage } from './questionMessages.ts';
import { blockView } from './resultView.ts';

declare function acquireVsCodeApi(): { postMessage(message: FromQuestionPage): void };

/** The page for a server's question: its text, a form, and three answers. */
class QuestionPage {
  readonly #editor = acquireVsCodeApi();
  readonly #head = element('header');
  readonly #blocks = element('div', { class: 'blocks' });
  readonly #form = element('div', { class: 'fields' });
  readonly #error = element('div', { class: 'error', attributes: { role: 'alert' } });
  readonly #accept = button('', 'primary', () => this.#send({ type: 'accept', values: this.#values() }));
  readonly #decline = button('', 'secondary', () => this.#send({ type: 'decline' }));
  readonly #cancel = button('Cancel', 'link', () => this.#send({ type: 'cancel' }));
  readonly #body: HTMLElement;
  #controls: readonly FieldControl[] = [];

  constructor() {
    this.#accept.title = 'Ctrl+Enter';
    const buttons = element('div', { class: 'buttons', children: [this.#accept, this.#decline, this.#cancel] });
    const bar = element('div', { class: 'run', children: [buttons] });
    this.#body = element('div', { children: [this.#blocks, this.#form, this.#error, bar] });
  }

  start(): void {
    document.body.append(element('main', { children: [this.#head, this.#body] }));
    show(this.#body, false);
    window.addEventListener('message', ({ data }: MessageEvent<ToQuestionPage>) => this.#receive(data));
    document.addEventListener('keydown', (event) => this.#key(event));
    this.#send({ type: 'ready' });
  }

  #receive(message: ToQuestionPage): void {
    if (message.type === 'errors') return this.#mark(message.errors);
    const { question } = message;
    this.#head.replaceChildren(...headOf(question));
    this.#accept.textContent = question.accept;
    this.#decline.textContent = question.decline;
    this.#cancel.title = question.cancelHint ?? 'Close without an answer, and let the server know (Escape)';
    this.#blocks.replaceChildren(...question.blocks.map(blockView));
    this.#controls = question.fields.map((field) =>
      fieldControl(field, question.values, () => this.#send({ type: 'entered', values: this.#values() })),
    );
    const none = element('p', { class: 'description', text: question.noFields });
    this.#form.replaceChildren(...(this.#controls.length === 0 ? [none] : this.#controls.map(({ root }) => root)));
    show(this.#body, true);
    if (question.readFirst === true) this.#readFirst();
    else (this.#form.querySelector<HTMLElement>('input, select, textarea') ?? this.#accept).focus();
    this.#mark(question.errors);
  }

  /**
   * Focuses the text for keyboard scrolling. Accept is disabled until its button, at the end of the page, is visible.
   */
  #readFirst(): void {
    this.#accept.disabled = true;
    this.#head.tabIndex = -1;
    this.#head.focus();
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watch.disconnect();
      this.#accept.disabled = false;
    });
    watch.observe(this.#accept);
  }

  #values(): ValuesView {
    return Object.fromEntries(this.#controls.flatMap((control) => control.read()));
  }

  #mark(errors: Readonly<Record<string, string>>): void {
    const marked = this.#controls.map((control) => control.mark(errors)).find((input) => input !== undefined);
    this.#error.textContent = errors[''] ?? '';
    marked?.focus();
    marked?.scrollIntoView({ block: 'nearest' });
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (this.#accept.disabled) return;
      this.#send({ type: 'accept', values: this.#values() });
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this.#send({ type: 'cancel' });
    }
  }

  #send(message: FromQuestionPage): void {
    this.#editor.postMessage(message);
  }
}

function headOf({ title, message, remarks }: QuestionView): readonly Node[] {
  return [
    element('h1', { text: title }),
    ...(message === '' ? [] : [element('p', { class: 'description', text: message })]),
    ...remarks.map((remark) =>
      element('div', { class: 'banner warning', children: [element('span', { text: remark })] }),
    ),
  ];
}

new QuestionPage().start();
