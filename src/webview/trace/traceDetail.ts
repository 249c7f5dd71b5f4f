import { button, element, show } from '../shared/elements.ts';
import type { TraceMessage } from './traceMessages.ts';

export interface TraceDetailEvents {
  copy(n: number): void;
  closed(): void;
}

/** One message, as text. */
export class TraceDetail {
  readonly root: HTMLElement;
  readonly #title = element('h2');
  readonly #facts = element('span', { class: 'facts' });
  readonly #text = element('pre', { attributes: { tabindex: '0', 'aria-label': 'The message as JSON' } });
  readonly #events: TraceDetailEvents;
  #shown: number | undefined;

  constructor(events: TraceDetailEvents) {
    this.#events = events;
    const copy = button('Copy', 'secondary', () => this.#copy());
    const close = button('Close', 'secondary', () => this.close());
    const head = element('div', { class: 'head', children: [this.#title, this.#facts, copy, close] });
    this.root = element('section', {
      class: 'detail',
      attributes: { 'aria-label': 'Message' },
      children: [head, this.#text],
    });
    show(this.root, false);
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  show({ n, title, facts, text }: TraceMessage): void {
    this.#shown = n;
    this.#title.textContent = title;
    this.#facts.textContent = facts;
    this.#text.textContent = text;
    this.#text.scrollTop = 0;
    show(this.root, true);
  }

  close(): void {
    if (!this.isOpen) return;
    show(this.root, false);
    this.#events.closed();
  }

  #copy(): void {
    if (this.#shown !== undefined) this.#events.copy(this.#shown);
  }
}
