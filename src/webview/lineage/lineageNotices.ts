import { icon } from '../shared/drawings.ts';
import { button, element, show } from '../shared/elements.ts';
import type { BlockedLineage } from './lineageMessages.ts';

interface LineageNoticesEvents {
  retried(): void;
  shown(rowId: number): void;
  unblocked(rowId: number): void;
}

/** Minimum interval between announcements of the count. */
const SAY_MS = 1_500;
/** Shows no loading text before this delay. */
const LOADING_MS = 300;

/** Messages in place of rows, above them, and for screen readers. */
export class LineageNotices {
  /** At the top: why the next call is refused. */
  readonly banner = element('section', { class: 'banner' });
  /** In place of the rows. */
  readonly message: HTMLElement;
  readonly said = element('span', { class: 'said', attributes: { role: 'status', 'aria-live': 'polite' } });
  readonly #events: LineageNoticesEvents;
  readonly #text = element('p');
  readonly #retry: HTMLButtonElement;
  #blocked = '';
  #loading: number | undefined;
  #saying: number | undefined;
  #count = '';

  constructor(events: LineageNoticesEvents) {
    this.#events = events;
    this.#retry = button('Retry', 'secondary', () => this.#events.retried());
    this.message = element('div', { class: 'message', children: [this.#text, this.#retry] });
    show(this.banner, false);
    show(this.message, false);
  }

  block(blocked: BlockedLineage | undefined): void {
    const wanted = blocked === undefined ? '' : `${blocked.place} ${blocked.text}`;
    if (wanted === this.#blocked) return;
    this.#blocked = wanted;
    show(this.banner, blocked !== undefined);
    if (blocked === undefined) return this.banner.replaceChildren();
    const { text, place } = blocked;
    const said = element('p', { text, attributes: { role: 'alert' } });
    const buttons = [
      button('Show', 'secondary', () => this.#events.shown(place)),
      button('Continue from Last Good', 'secondary', () => this.#events.unblocked(place)),
    ];
    this.banner.replaceChildren(icon('warning'), said, element('div', { class: 'actions', children: buttons }));
  }

  /** Shows a loading text after a delay. */
  load(): void {
    this.#loading ??= setTimeout(() => this.#show('Loading the lineage…'), LOADING_MS);
  }

  empty(text: string): void {
    this.#show(text);
  }

  fail(text: string): void {
    this.#show(text, true);
  }

  /** Removes the message because there are rows. Returns whether the focus was inside it. */
  clear(): boolean {
    this.#endLoading();
    const hadFocus = this.message.contains(document.activeElement);
    this.#showMessage(false);
    return hadFocus;
  }

  say(text: string): void {
    this.#endSaying();
    this.said.textContent = text;
  }

  /** Announces a changed count once it is stable. */
  sayCount(text: string): void {
    if (text === this.#count) return;
    this.#count = text;
    this.#endSaying();
    this.#saying = setTimeout(() => this.say(text), SAY_MS);
  }

  #show(text: string, isFailure = false): void {
    this.#endLoading();
    if (isFailure) this.#text.setAttribute('role', 'alert');
    else this.#text.removeAttribute('role');
    this.#text.textContent = text;
    this.message.classList.toggle('failure', isFailure);
    show(this.#retry, isFailure);
    this.#showMessage(true);
  }

  /** Hides the rows of the old list behind the message. */
  #showMessage(isShown: boolean): void {
    show(this.message, isShown);
    this.message.parentElement?.classList.toggle('none', isShown);
  }

  #endLoading(): void {
    clearTimeout(this.#loading);
    this.#loading = undefined;
  }

  #endSaying(): void {
    clearTimeout(this.#saying);
    this.#saying = undefined;
  }
}
