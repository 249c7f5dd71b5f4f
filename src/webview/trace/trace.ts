import { button, element, show } from '../shared/elements.ts';
import type { Range } from '../shared/listWindow.ts';
import { TraceList } from './traceList.ts';
import {
  decodeTracePageState,
  type DirectionChoice,
  type FromTracePage,
  type ToTracePage,
  type TraceMessage,
  type TracePageFilter,
  type TracePageState,
  type TraceRow,
  type TraceStatus,
} from './traceMessages.ts';
import { pluralWord } from '../shared/plural.ts';

interface EditorApi {
  postMessage(message: FromTracePage): void;
  getState(): unknown;
  setState(state: TracePageState): void;
}

declare function acquireVsCodeApi(): EditorApi;

/** Debounce interval for typing. */
const FILTER_MS = 150;
/** Minimum interval between announcements of the count. */
const SAY_MS = 1_500;

const CHOICES: readonly (readonly [DirectionChoice, string])[] = [
  ['both', 'Both ways'],
  ['sent', '→ Sent'],
  ['received', '← Received'],
];

/** The page of one server's trace. */
class TracePage {
  readonly #editor = acquireVsCodeApi();
  readonly #search = element('input', {
    id: 'filter',
    attributes: {
      type: 'search',
      placeholder: 'Filter by method',
      'aria-label': 'Filter by method',
      spellcheck: 'false',
    },
  });
  readonly #direction = element('select', { id: 'direction', attributes: { 'aria-label': 'Direction' } });
  readonly #count = element('span', { class: 'count' });
  readonly #said = element('span', { class: 'said', attributes: { role: 'status', 'aria-live': 'polite' } });
  readonly #record = button('Record', 'secondary', () => this.#send({ type: 'record' }));
  readonly #follow = button('Follow', 'secondary', () => this.#toggleFollowing());
  readonly #empty = element('p', { class: 'empty' });
  readonly #list = new TraceList({
    needs: (range) => this.#need(range),
    chose: (row, isOpened) => this.#chose(row, isOpened),
    followed: (isFollowing) => this.#showFollowing(isFollowing),
  });
  readonly #detail = new TraceDetail({
    copy: (n) => this.#send({ type: 'copy', n }),
    closed: () => this.#list.focus(),
  });
  #status: TraceStatus | undefined;
  #asked = '';
  #isFollowing = true;
  #typing: number | undefined;
  #saying: number | undefined;

  start(): void {
    for (const [value, text] of CHOICES) this.#direction.append(new Option(text, value));
    const kept = decodeTracePageState(this.#editor.getState());
    this.#search.value = kept?.filter.text ?? '';
    this.#direction.value = kept?.filter.direction ?? 'both';
    document.body.append(this.#tools(), element('main', { children: [this.#body(), this.#detail.root] }));
    this.#showFollowing(true);
    this.#search.addEventListener('input', () => this.#typed());
    this.#direction.addEventListener('change', () => this.#filter());
    window.addEventListener('message', ({ data }: MessageEvent<ToTracePage>) => this.#receive(data));
    document.addEventListener('keydown', (event) => this.#key(event));
    this.#send({ type: 'ready', filter: this.#wanted() });
    this.#list.focus();
  }

  #tools(): HTMLElement {
    const choice = element('div', { class: 'select', children: [this.#direction] });
    const clear = button('Clear', 'secondary', () => this.#send({ type: 'clear' }));
    const save = button('Export…', 'secondary', () => this.#send({ type: 'export' }));
    this.#record.title = 'Record the messages of the connection';
    this.#follow.title = 'Keep the newest message in view';
    const children = [this.#search, choice, this.#count, this.#said, this.#record, this.#follow, clear, save];
    return element('header', { attributes: { role: 'toolbar', 'aria-label': 'Trace' }, children });
  }

  #body(): HTMLElement {
    const names = ['Time', '', 'Kind', 'Method', 'Id', 'Size'];
    const classes = ['time', 'way', 'kind', 'method', 'id', 'size'];
    const cells = names.map((text, index) => element('span', { class: classes[index] ?? '', text }));
    const head = element('div', { class: 'row columns', attributes: { 'aria-hidden': 'true' }, children: cells });
    return element('div', { class: 'messages', children: [head, this.#list.root, this.#empty] });
  }

  #receive(message: ToTracePage): void {
    switch (message.type) {
      case 'status':
        return this.#setStatus(message.status);
      case 'rows':
        this.#asked = '';
        return this.#list.add(message.list, message.rows);
      case 'message':
        return this.#detail.show(message.message);
    }
  }

  #setStatus(status: TraceStatus): void {
    this.#status = status;
    this.#editor.setState({ server: status.server, filter: this.#wanted() });
    this.#list.set(status);
    this.#record.setAttribute('aria-pressed', String(status.isOn));
    this.#count.textContent = countText(status);
    const none = status.start === status.end;
    show(this.#empty, none);
    if (none) this.#empty.textContent = emptyText(status);
    this.#sayCount();
  }

  /** Not a `Throttle`: pages import nothing of the core. */
  #sayCount(): void {
    this.#saying ??= setTimeout(() => {
      this.#saying = undefined;
      const text = this.#status === undefined ? '' : countText(this.#status);
      if (this.#said.textContent !== text) this.#said.textContent = text;
    }, SAY_MS);
  }

  #need({ from, to }: Range): void {
    const { list } = this.#status ?? { list: 0 };
    // Avoids repeated requests for the same rows.
    const asked = `${list} ${from} ${to}`;
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#send({ type: 'rows', list, from, count: to - from });
  }

  #chose({ n }: TraceRow, isOpened: boolean): void {
    if (isOpened || this.#detail.isOpen) this.#send({ type: 'message', n });
  }

  #typed(): void {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#filter(), FILTER_MS);
  }

  #filter(): void {
    clearTimeout(this.#typing);
    this.#send({ type: 'filter', filter: this.#wanted() });
  }

  #wanted(): TracePageFilter {
    const direction = CHOICES.find(([value]) => value === this.#direction.value)?.[0] ?? 'both';
    return { text: this.#search.value, direction };
  }

  #toggleFollowing(): void {
    this.#list.follow(!this.#isFollowing);
  }

  #showFollowing(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    this.#follow.setAttribute('aria-pressed', String(isFollowing));
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape' && this.#detail.isOpen) {
      event.preventDefault();
      this.#detail.close();
    } else if (event.key === 'f' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#search.select();
    } else if (event.key === 'ArrowDown' && event.target === this.#search) {
      event.preventDefault();
      this.#list.focus();
    }
  }

  #send(message: FromTracePage): void {
    this.#editor.postMessage(message);
  }
}

function countText({ start, end, kept }: TraceStatus): string {
  const shown = (end - start).toLocaleString('en');
  const all = kept.toLocaleString('en');
  return shown === all ? `${all} ${pluralWord(kept, 'message')}` : `${shown} of ${all} messages`;
}

function emptyText({ kept, isOn }: TraceStatus): string {
  if (kept > 0) return 'No message matches the filter.';
  return isOn
    ? 'No messages since recording began. Call a tool, or restart the server to see the handshake.'
    : 'Recording is off. Press Record to see messages.';
}

interface TraceDetailEvents {
  copy(n: number): void;
  closed(): void;
}

/** One message as text. */
class TraceDetail {
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

new TracePage().start();
