import { element } from '../shared/elements.ts';
import { carryLooks, columnWidth, GRAPH, lanesWithin, type LineLooks, looksAbove } from './lineageGraph.ts';
import { listKey } from './lineageKeys.ts';
import { FIRST_ROWS, type LineageStatus, type PageRow } from './lineageMessages.ts';
import { RowElement, type RowLook } from './lineageRow.ts';
import { LineageRows } from './rowList.ts';
import { type ListView, type Range, scrollTo, visibleRows } from '../shared/listWindow.ts';

const { rowHeight } = GRAPH;
const MARGIN = 8;
/** Minimum width for columns, minus a scroll bar. As in the style sheet. */
const WIDE = 464;
/** Number of rows to load ahead of the visible ones. */
const AHEAD = 60;
/** Delay before the surrounding rows are drawn. */
const AROUND_MS = 50;
/** Time without movement after which the user is considered to be reading. */
const CALM_MS = 400;
/** How long old rows stay while those of a new list load. */
const HOLD_MS = 200;

interface LineageListEvents {
  /** Visible rows that are not loaded. */
  needs(list: number, range: Range): void;
  /** `isOpened`: by a click or Enter, not only by moving. */
  chose(row: PageRow, isOpened: boolean): void;
  compared(): void;
  /** Fires before the character is inserted, so that it goes to the search box. */
  typed(): void;
  marked(row: PageRow): void;
}

/** The selection: a checkpoint, or briefly a row that is still loading. */
interface Selected {
  readonly position: number | undefined;
  readonly rowId: number | undefined;
}

/** A virtual list of a lineage's checkpoints. */
export class LineageList {
  readonly root = element('div', {
    id: 'checkpoints',
    class: 'list',
    attributes: { role: 'tree', tabindex: '0', 'aria-label': 'Checkpoints, the newest first' },
  });
  readonly #space = element('div', { class: 'space', attributes: { role: 'presentation' } });
  readonly #events: LineageListEvents;
  readonly #rows = new LineageRows();
  readonly #elements: RowElement[] = [];
  #selected: Selected = { position: undefined, rowId: undefined };
  #awaited: { readonly isOpened: boolean } | undefined;
  #marks: readonly number[] = [];
  /** Cached, because reading it would force a layout. */
  #size: { readonly width: number; readonly height: number } | undefined;
  #columnWidth = 0;
  /** Whether rows were drawn, so that scrolling is possible. */
  #isLaidOut = false;
  #isAround = false;
  #heldUntil = 0;
  #painting: number | undefined;
  #widening: number | undefined;
  #calming: number | undefined;

  constructor(events: LineageListEvents) {
    this.#events = events;
    this.root.append(this.#space);
    this.root.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.root.addEventListener('keydown', (event) => this.#key(event));
    this.root.addEventListener('click', (event) => this.#click(event));
    this.root.addEventListener('contextmenu', (event) => this.#menu(event));
    new ResizeObserver(([entry]) => this.#resized(entry)).observe(this.root);
  }

  get selected(): number | undefined {
    return this.#selected.rowId;
  }

  /** `isSame`: same lineage and filter as before. */
  set({ list, total }: LineageStatus, isSame: boolean): void {
    if (list !== this.#rows.list) this.#renew(list, total, isSame);
    // Requests rows before the next frame. The newest rows arrive without a request.
    const seen = visibleRows(this.#view(), 0);
    if (seen.to > FIRST_ROWS) this.#ask(seen);
    this.#paintSoon();
  }

  add(list: number, rows: readonly PageRow[]): void {
    const moved = this.#rows.add(list, rows);
    if (moved !== undefined && moved.by !== 0) {
      const { scrollTop } = this.root;
      if (scrollTop >= rowHeight) this.root.scrollTop = scrollTop + moved.by * rowHeight;
    }
    this.#findSelected(moved?.by ?? 0);
    // Draws the first rows at once, so that they appear in the next frame.
    if (this.#isLaidOut) this.#paintSoon();
    else this.#paint();
  }

  /** Selects a checkpoint at a known position. */
  reveal(position: number, rowId: number): void {
    this.#selected = { position, rowId };
    this.#awaited = undefined;
    this.#bringIn(position);
    this.#paintSoon();
  }

  /** Selects the row at a position. */
  goTo(position: number): void {
    this.#bringIn(position);
    this.#move(position);
  }

  mark(rowIds: readonly number[]): void {
    this.#marks = rowIds;
    this.#paintSoon();
  }

  clear(): void {
    this.#selected = { position: undefined, rowId: undefined };
    this.#awaited = undefined;
  }

  focus(): void {
    this.root.focus({ preventScroll: true });
  }

  #renew(list: number, total: number, isSame: boolean): void {
    // New checkpoints are added at the top and removed ones disappear at the bottom.
    const shift = isSame ? Math.max(0, total - this.#rows.total) : undefined;
    const scrollTop = this.#scrollTop();
    this.#rows.renew(list, total, shift);
    this.#space.style.setProperty('height', `${total * rowHeight}px`);
    if (shift === undefined) {
      if (scrollTop !== 0) this.root.scrollTop = 0;
      this.#isAround = false;
      this.#selected = { ...this.#selected, position: undefined };
      this.#heldUntil = performance.now() + HOLD_MS;
      setTimeout(() => this.#paintSoon(), HOLD_MS);
      return;
    }
    // Keeps the visible rows in place, unless the list is scrolled to the top.
    if (scrollTop >= rowHeight) this.root.scrollTop = scrollTop + shift * rowHeight;
    this.#findSelected(shift);
  }

  /** Finds the selected checkpoint again at its new position. */
  #findSelected(shift: number): void {
    const { position, rowId } = this.#selected;
    if (rowId !== undefined) {
      const moved = position === undefined ? undefined : position + shift;
      this.#selected = { rowId, position: this.#rows.positionOf(rowId) ?? moved };
      return;
    }
    const row = position === undefined ? undefined : this.#rows.at(position);
    if (row === undefined) return;
    this.#selected = { position, rowId: row.place };
    const { isOpened } = this.#awaited ?? { isOpened: false };
    this.#awaited = undefined;
    this.#events.chose(row, isOpened);
  }

  #view(): ListView {
    const height = this.#size?.height ?? 0;
    return { scrollTop: this.#scrollTop(), height, rowHeight, start: 0, end: this.#rows.total };
  }

  /** Zero before the first drawing. Reading it then would force a layout. */
  #scrollTop(): number {
    return this.#isLaidOut ? this.root.scrollTop : 0;
  }

  #measure(): { readonly width: number; readonly height: number } {
    return (this.#size ??= { width: this.root.clientWidth, height: this.root.clientHeight });
  }

  /** Drawn at once, in the frame with the new size. */
  #resized(entry: ResizeObserverEntry | undefined): void {
    if (entry === undefined) return;
    const { width, height } = entry.contentRect;
    const before = this.#size;
    this.#size = { width, height };
    if (!this.#isLaidOut) return this.#rows.total > 0 ? this.#paintSoon() : undefined;
    if (before !== undefined && height < before.height) this.#keepInSight(before.height);
    this.#paint();
  }

  /** The detail may open below the list and cover the selected row. */
  #keepInSight(heightBefore: number): void {
    const { position } = this.#selected;
    const view = this.#view();
    const wasSeen = position !== undefined && scrollTo(position, { ...view, height: heightBefore }) === view.scrollTop;
    if (wasSeen) this.root.scrollTop = scrollTo(position, view);
  }

  #scrolled(): void {
    this.#isAround = true;
    clearTimeout(this.#calming);
    this.#calming = setTimeout(() => {
      this.#calming = undefined;
      this.#paintSoon();
    }, CALM_MS);
    this.#paintSoon();
  }

  #fitColumn(): void {
    const widest = Math.max(0, ...this.#elements.map(({ position, width }) => (position === undefined ? 0 : width)));
    const width = columnWidth(widest, this.#columnWidth, this.#calming !== undefined);
    if (width === this.#columnWidth) return;
    this.#columnWidth = width;
    this.root.parentElement?.style.setProperty('--graph-width', `${width}px`);
  }

  #key(event: KeyboardEvent): void {
    const key = listKey(event, this.#selected.position, this.#view());
    if (key === undefined) return;
    if (key.kind === 'type') return this.#events.typed();
    event.preventDefault();
    switch (key.kind) {
      case 'go':
        return this.#move(key.position);
      case 'open':
        return this.#choose(true);
      case 'mark':
        return this.#markSelected();
      case 'compare':
        return this.#events.compared();
    }
  }

  /** Centers the row if it was not visible. */
  #bringIn(position: number): void {
    this.#measure();
    this.#isLaidOut = true;
    const view = this.#view();
    if (scrollTo(position, view) !== view.scrollTop)
      this.root.scrollTop = position * rowHeight - (view.height - rowHeight) / 2;
  }

  #move(position: number): void {
    this.#selected = { position, rowId: undefined };
    this.root.scrollTop = scrollTo(position, this.#view());
    this.#choose(false);
    this.#paint();
  }

  #markSelected(): void {
    const { position } = this.#selected;
    const row = position === undefined ? undefined : this.#rows.at(position);
    if (row !== undefined) this.#events.marked(row);
  }

  #choose(isOpened: boolean): void {
    const { position } = this.#selected;
    if (position === undefined) return;
    const row = this.#rows.at(position);
    // A distant row is still loading.
    this.#awaited = row === undefined ? { isOpened } : undefined;
    if (row === undefined) return;
    this.#selected = { position, rowId: row.place };
    this.#events.chose(row, isOpened);
  }

  #hit(event: Event): RowElement | undefined {
    const { target } = event;
    return target instanceof Node ? this.#elements.find(({ root }) => root.contains(target)) : undefined;
  }

  #click(event: MouseEvent): void {
    const { row, position } = this.#hit(event) ?? {};
    if (row === undefined || position === undefined) return;
    const marks = event.ctrlKey || event.metaKey;
    this.#selected = { position, rowId: row.place };
    if (marks) this.#events.marked(row);
    this.#choose(!marks);
    this.#paint();
  }

  /** The editor shows the menu for the event's target. A key event has the list as its target. */
  #menu(event: MouseEvent): void {
    const hit = this.#hit(event);
    if (hit?.row !== undefined) {
      this.#selected = { position: hit.position, rowId: hit.row.place };
      this.#paint();
      return;
    }
    event.preventDefault();
    const { position } = this.#selected;
    const isByPointer = event.button === 2 || event.ctrlKey;
    if (isByPointer || position === undefined) return;
    this.root.scrollTop = scrollTo(position, this.#view());
    this.#paint();
    const row = this.#elements.find((each) => each.position === position)?.root;
    const { left = 0, bottom = 0 } = row?.getBoundingClientRect() ?? {};
    const point = { clientX: left + 24, clientY: bottom };
    row?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...point }));
  }

  #paintSoon(): void {
    this.#painting ??= requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    if (this.#painting !== undefined) cancelAnimationFrame(this.#painting);
    this.#painting = undefined;
    const { width } = this.#measure();
    const view = this.#view();
    this.#ask(visibleRows(view, this.#isAround || this.#rows.hasCome ? AHEAD : 0));
    // Avoids flicker from empty rows while the user types.
    if (!this.#rows.hasCome && performance.now() < this.#heldUntil) return;
    const range = visibleRows(view, this.#isAround ? MARGIN : 0);
    this.#rows.forget(range);
    this.#show(range, { lanes: lanesWithin(width), isNarrow: width < WIDE });
    this.#fitColumn();
    this.#markRows();
    if (range.from === range.to) return;
    this.#isLaidOut = true;
    if (!this.#isAround) this.#widen();
  }

  #show(range: Range, look: Pick<RowLook, 'lanes' | 'isNarrow'>): void {
    const { total } = this.#rows;
    let above: LineLooks | undefined;
    const made: HTMLElement[] = [];
    for (const [position, each] of this.#assign(range)) {
      const row = this.#rows.at(position);
      above ??= looksAbove(position, (at) => this.#rows.at(at));
      each.show(row, { position, total, above, ...look });
      above = row === undefined ? undefined : carryLooks(above, row);
      if (!each.root.isConnected) made.push(each.root);
    }
    // Filled before insertion, because changes in the document are slower.
    this.#space.append(...made);
  }

  /** Draws surrounding rows later, because they are not visible yet. Not a `Throttle`: pages import nothing of the core. */
  #widen(): void {
    this.#widening ??= setTimeout(() => {
      this.#widening = undefined;
      this.#isAround = true;
      this.#paintSoon();
    }, AROUND_MS);
  }

  #ask(range: Range): void {
    for (const wanted of this.#rows.wanted(range)) this.#events.needs(this.#rows.list, wanted);
  }

  /** Keeps the element of a visible checkpoint, because screen readers track elements. */
  #assign({ from, to }: Range): ReadonlyMap<number, RowElement> {
    const ofRowId = new Map(this.#elements.map((each) => [each.row?.place, each]));
    const free = new Set(this.#elements);
    const assigned = new Map<number, RowElement | undefined>();
    for (let position = from; position < to; position++) {
      const row = this.#rows.at(position);
      const each = row === undefined ? undefined : ofRowId.get(row.place);
      if (each !== undefined) free.delete(each);
      assigned.set(position, each);
    }
    const rest = [...free];
    const all = new Map([...assigned].map(([position, each]) => [position, each ?? rest.pop() ?? this.#create()]));
    for (const each of rest) each.hide();
    return all;
  }

  #create(): RowElement {
    const made = new RowElement(`row-${this.#elements.length}`);
    this.#elements.push(made);
    return made;
  }

  #markRows(): void {
    let active = '';
    for (const each of this.#elements) {
      const { row, position } = each;
      const { rowId } = this.#selected;
      const isSelected =
        row === undefined || rowId === undefined
          ? position !== undefined && position === this.#selected.position
          : row.place === rowId;
      each.mark(isSelected, row !== undefined && this.#marks.includes(row.place));
      if (isSelected) active = each.root.id;
    }
    if (active === '') this.root.removeAttribute('aria-activedescendant');
    else this.root.setAttribute('aria-activedescendant', active);
  }
}
