import { element } from '../shared/elements.ts';
import {
  isAtEnd,
  type ListView,
  missingRows,
  type Range,
  rowAfterKey,
  scrollTo,
  visibleRows,
} from '../shared/listWindow.ts';
import type { TraceRow, TraceStatus } from './traceMessages.ts';

/** As in the style sheet. */
const ROW_HEIGHT = 22;
const MARGIN = 10;
/** Maximum rows to keep while scrolling. */
const MAX_KEPT = 3_000;

interface TraceListEvents {
  /** Visible rows that are not loaded. */
  needs(range: Range): void;
  /** `isOpened`: by a click or Enter, not only by moving. */
  chose(row: TraceRow, isOpened: boolean): void;
  followed(isFollowing: boolean): void;
}

interface RowElement {
  readonly root: HTMLElement;
  readonly cells: readonly HTMLElement[];
  position: number | undefined;
}

/** A virtual list of a trace's messages. */
export class TraceList {
  readonly root = element('div', {
    id: 'messages',
    class: 'list',
    attributes: { role: 'listbox', tabindex: '0', 'aria-label': 'Messages', 'aria-orientation': 'vertical' },
  });
  readonly #space = element('div', { class: 'space', attributes: { role: 'presentation' } });
  readonly #events: TraceListEvents;
  readonly #rows = new Map<number, TraceRow>();
  readonly #elements: RowElement[] = [];
  #status: TraceStatus | undefined;
  #selected: number | undefined;
  #awaited: { readonly isOpened: boolean } | undefined;
  #isFollowing = true;
  #height = 0;
  #painting: number | undefined;

  constructor(events: TraceListEvents) {
    this.#events = events;
    this.root.append(this.#space);
    this.root.addEventListener('scroll', () => this.#scrolled());
    this.root.addEventListener('keydown', (event) => this.#key(event));
    this.root.addEventListener('click', (event) => this.#click(event));
    new ResizeObserver(() => this.#resized()).observe(this.root);
  }

  set(status: TraceStatus): void {
    const before = this.#status;
    if (before?.list !== status.list) this.#reset();
    this.#status = status;
    this.#space.style.setProperty('height', `${(status.end - status.start) * ROW_HEIGHT}px`);
    // Keeps the visible rows in place when older ones are removed.
    const gone = before?.list === status.list ? status.start - before.start : 0;
    if (this.#isFollowing) this.#toEnd();
    else if (gone > 0) this.root.scrollTop -= gone * ROW_HEIGHT;
    this.#paintSoon();
  }

  add(list: number, rows: readonly TraceRow[]): void {
    if (list !== this.#status?.list) return;
    for (const row of rows) this.#rows.set(row.position, row);
    const { isOpened } = this.#awaited ?? {};
    if (isOpened !== undefined) this.#choose(this.#selected, isOpened);
    this.#paintSoon();
  }

  follow(isFollowing: boolean): void {
    this.#setFollowing(isFollowing);
    if (isFollowing) this.#toEnd();
  }

  focus(): void {
    this.root.focus();
  }

  #reset(): void {
    this.#rows.clear();
    this.#selected = undefined;
    this.#awaited = undefined;
    this.#setFollowing(true);
    for (const each of this.#elements) each.position = undefined;
  }

  #view(): ListView {
    const { start = 0, end = 0 } = this.#status ?? {};
    const { scrollTop, clientHeight: height } = this.root;
    return { scrollTop, height, rowHeight: ROW_HEIGHT, start, end };
  }

  #scrolled(): void {
    // A smaller view also moves the end. That must not stop following.
    if (this.root.clientHeight === this.#height) this.#setFollowing(isAtEnd(this.#view()));
    this.#paintSoon();
  }

  #resized(): void {
    this.#height = this.root.clientHeight;
    if (this.#isFollowing) this.#toEnd();
    this.#paintSoon();
  }

  #toEnd(): void {
    this.root.scrollTop = this.root.scrollHeight;
  }

  #setFollowing(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.#events.followed(isFollowing);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const view = this.#view();
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#choose(this.#selected, true);
      return;
    }
    const next = rowAfterKey(event.key, this.#selected, view);
    if (next === undefined) return;
    event.preventDefault();
    this.#selected = next;
    this.#setFollowing(next === view.end - 1);
    this.root.scrollTop = scrollTo(next, view);
    this.#paint();
    this.#choose(next, false);
  }

  #click(event: MouseEvent): void {
    const clicked = this.#elements.find(({ root }) => event.target instanceof Node && root.contains(event.target));
    if (clicked?.position === undefined) return;
    this.#selected = clicked.position;
    this.#paint();
    this.#choose(clicked.position, true);
  }

  #choose(position: number | undefined, isOpened: boolean): void {
    const row = position === undefined ? undefined : this.#rows.get(position);
    // A distant row is still loading.
    this.#awaited = row === undefined && position !== undefined ? { isOpened } : undefined;
    if (row !== undefined) this.#events.chose(row, isOpened);
  }

  #paintSoon(): void {
    this.#painting ??= requestAnimationFrame(() => {
      this.#painting = undefined;
      this.#paint();
    });
  }

  #paint(): void {
    const range = visibleRows(this.#view(), MARGIN);
    this.#forget(range);
    // Keeps the element of a visible row, because screen readers track elements.
    const free = this.#elements.filter(
      ({ position }) => position === undefined || position < range.from || position >= range.to,
    );
    const placed = new Map(this.#elements.map((each) => [each.position, each]));
    for (let position = range.from; position < range.to; position++) {
      const each = placed.get(position) ?? free.pop() ?? this.#create();
      this.#fill(each, position);
    }
    for (const each of free) this.#hide(each);
    this.#mark();
    const missing = missingRows(range, (position) => this.#rows.has(position));
    if (missing !== undefined) this.#events.needs(missing);
  }

  #forget({ from, to }: Range): void {
    if (this.#rows.size <= MAX_KEPT) return;
    for (const position of this.#rows.keys())
      if (position < from - MAX_KEPT / 4 || position > to + MAX_KEPT / 4) this.#rows.delete(position);
  }

  #create(): RowElement {
    const cells = ['time', 'way', 'kind', 'method', 'id', 'size'].map((name) => element('span', { class: name }));
    const root = element('div', { class: 'row', attributes: { role: 'option' }, children: cells });
    this.#space.append(root);
    const made: RowElement = { root, cells, position: undefined };
    root.id = `row-${this.#elements.length}`;
    this.#elements.push(made);
    return made;
  }

  #fill(each: RowElement, position: number): void {
    const { root, cells } = each;
    const { start = 0, end = 0 } = this.#status ?? {};
    const row = this.#rows.get(position);
    root.hidden = false;
    root.style.setProperty('transform', `translateY(${(position - start) * ROW_HEIGHT}px)`);
    root.setAttribute('aria-posinset', String(position - start + 1));
    root.setAttribute('aria-setsize', String(end - start));
    const shown = row === undefined ? '' : String(row.n);
    if (each.position === position && root.dataset['n'] === shown) return;
    each.position = position;
    root.dataset['n'] = shown;
    root.className = row === undefined ? 'row' : `row ${row.direction} ${row.kind}`;
    root.setAttribute('aria-label', row === undefined ? 'Loading' : spoken(row));
    const texts = row === undefined ? [] : [row.time, row.direction === 'sent' ? '→' : '←'];
    const rest = row === undefined ? [] : [row.kind, row.method, row.id, row.size];
    for (const [index, cell] of cells.entries()) cell.textContent = [...texts, ...rest][index] ?? '';
  }

  #hide(each: RowElement): void {
    each.position = undefined;
    each.root.hidden = true;
  }

  #mark(): void {
    let active = '';
    for (const { root, position } of this.#elements) {
      const isSelected = position !== undefined && position === this.#selected;
      root.setAttribute('aria-selected', String(isSelected));
      root.classList.toggle('selected', isSelected);
      if (isSelected) active = root.id;
    }
    if (active === '') this.root.removeAttribute('aria-activedescendant');
    else this.root.setAttribute('aria-activedescendant', active);
  }
}

function spoken({ direction, kind, method, id, time, size }: TraceRow): string {
  const name = method === '' ? kind : `${kind} ${method}`;
  return `${direction} ${name}${id === '' ? '' : `, id ${id}`}, ${time}, ${size}`;
}
