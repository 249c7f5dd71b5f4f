import { icon } from '../shared/drawings.ts';
import { button, element, show } from '../shared/elements.ts';
import type { CheckpointAction, PageDetail } from './lineageMessages.ts';

interface LineageDetailEvents {
  act(action: CheckpointAction, rowId: number): void;
  /** `hadFocus`: the focus was inside the detail. */
  closed(hadFocus: boolean): void;
}

const LABELS: Readonly<Record<CheckpointAction, string>> = {
  rollBack: 'Roll Back to Here',
  continue: 'Continue from Here',
  openState: 'Open State',
  compareWithParent: 'Compare with Previous',
  compareWithHead: 'Compare with Current',
  pin: 'Pin',
  unpin: 'Unpin',
  name: 'Name…',
  copyId: 'Copy Id',
};

/** One checkpoint: its origin, content and actions. */
export class LineageDetail {
  readonly root: HTMLElement;
  readonly #title = element('h2', { id: 'detail-title' });
  readonly #problem = element('p', { class: 'problem' });
  readonly #actions = element('div', { class: 'actions', attributes: { role: 'group', 'aria-label': 'Actions' } });
  readonly #facts = element('dl');
  readonly #bodyLabel = element('h3', { id: 'body-label' });
  readonly #body = element('pre', { attributes: { tabindex: '0', 'aria-labelledby': 'body-label' } });
  readonly #scrolled: HTMLElement;
  readonly #events: LineageDetailEvents;
  #rowId: number | undefined;
  #offered = '';

  constructor(events: LineageDetailEvents) {
    this.#events = events;
    const close = element('button', {
      class: 'tool close',
      attributes: { type: 'button', 'aria-label': 'Close the details', title: 'Close (Escape)' },
      children: [icon('close')],
    });
    close.addEventListener('click', () => this.close());
    const head = element('div', { class: 'head', children: [this.#title, close] });
    const children = [this.#problem, this.#actions, this.#facts, this.#bodyLabel, this.#body];
    this.#scrolled = element('div', { class: 'content', children });
    this.root = element('section', {
      class: 'detail',
      attributes: { 'aria-labelledby': 'detail-title' },
      children: [head, this.#scrolled],
    });
    show(this.root, false);
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  show({ place, title, facts, problem, bodyLabel, body, actions }: PageDetail): void {
    const isOther = place !== this.#rowId;
    this.#rowId = place;
    this.#title.textContent = title;
    this.#problem.textContent = problem;
    show(this.#problem, problem !== '');
    this.#offer(actions);
    this.#facts.replaceChildren(
      ...facts.flatMap(({ label, value }) => [element('dt', { text: label }), element('dd', { text: value })]),
    );
    this.#bodyLabel.textContent = bodyLabel;
    if (this.#body.textContent !== body) this.#body.textContent = body;
    for (const part of [this.#bodyLabel, this.#body]) show(part, body !== '');
    if (isOther) this.#scrolled.scrollTop = 0;
    show(this.root, true);
  }

  close(): void {
    if (!this.isOpen) return;
    const hadFocus = this.root.contains(document.activeElement);
    show(this.root, false);
    this.#rowId = undefined;
    this.#events.closed(hadFocus);
  }

  /** Keeps unchanged buttons, because one may have the focus. */
  #offer(actions: readonly CheckpointAction[]): void {
    const offered = actions.join();
    if (offered === this.#offered) return;
    this.#offered = offered;
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset['action'] : undefined;
    const made = actions.map((action) => {
      const each = button(LABELS[action], 'secondary', () => this.#act(action));
      each.dataset['action'] = action;
      return each;
    });
    this.#actions.replaceChildren(...made);
    show(this.#actions, actions.length > 0);
    if (focused === undefined) return;
    // Pin becomes Unpin and must keep the focus.
    const next = { pin: 'unpin', unpin: 'pin' }[focused] ?? focused;
    const again = made.find(({ dataset }) => dataset['action'] === focused || dataset['action'] === next);
    (again ?? made[0])?.focus();
  }

  #act(action: CheckpointAction): void {
    if (this.#rowId !== undefined) this.#events.act(action, this.#rowId);
  }
}
