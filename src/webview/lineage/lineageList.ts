import { element } from '../shared/elements.ts';
import { carryLooks, columnWidth, GRAPH, lanesWithin, type LineLooks, looksAbove } from './lineageGraph.ts';
import { listKey } from './lineageKeys.ts';
import { FIRST_ROWS, type LineageStatus, type PageRow } from './lineageMessages.ts';
import { RowElement, type RowLook } from './lineageRow.ts';
import { LineageRows } from './lineageRows.ts';
import { type ListView, type Range, scrollTo, visibleRows } from '../shared/listWindow.ts';

const { rowHeight } = GRAPH;
const MARGIN = 8;
/** From here on rows stand in columns, as in the style sheet; a bar to scroll with takes some of it. */
const WIDE = 464;
/** So far around what is seen rows are asked for before they are. */
const AHEAD = 60;
/** What is around the rows that are seen comes so long after them. */
const AROUND_MS = 50;
/** Nothing has moved for so long: what is seen is being read. */
const CALM_MS = 400;
/** Rows of another list are waited for so long before those of the last one go. */
const HOLD_MS = 200;

export interface LineageListEvents {
  /** Rows that are to be seen and not there. */
  needs(list: number, range: Range): void;
  /** `isOpened`: by a click or Enter, and not only by moving on. */
  chose(row: PageRow, isOpened: boolean): void;
  compared(): void;
  /** Before what was typed is written, so that it can be written elsewhere. */
  typed(): void;
  marked(row: PageRow): void;
}

/** What is selected: a checkpoint, or for a moment only a row that has yet to come. */
interface Selected {
  readonly position: number | undefined;
  readonly place: number | undefined;
}

/** A lineage as long as may be, of which only what is seen is in the page. */
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
  #selected: Selected = { position: undefined, place: undefined };
  #awaited: { readonly isOpened: boolean } | undefined;
  #marks: readonly number[] = [];
  /** Known without asking for it, which would have the browser lay out what is about to change. */
  #size: { readonly width: number; readonly height: number } | undefined;
  #columnWidth = 0;
  /** Whether there is anything that could have been scrolled. */
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
    return this.#selected.place;
  }

  /** `isSame`: of the lineage and the filter that were shown before. */
  set({ list, total }: LineageStatus, isSame: boolean): void {
    if (list !== this.#rows.list) this.#renew(list, total, isSame);
    // Before the next frame, and no more than it needs: by then the rows may be here. The newest come by themselves.
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
    // The first ones at once: what is done before the next frame begins is seen in that one.
    if (this.#isLaidOut) this.#paintSoon();
    else this.#paint();
  }

  /** Selects a checkpoint of which it is known where it stands. */
  reveal(position: number, place: number): void {
    this.#selected = { position, place };
    this.#awaited = undefined;
    this.#bringIn(position);
    this.#paintSoon();
  }

  /** Selects a row of which nothing else is known. */
  goTo(position: number): void {
    this.#bringIn(position);
    this.#move(position);
  }

  mark(places: readonly number[]): void {
    this.#marks = places;
    this.#paintSoon();
  }

  clear(): void {
    this.#selected = { position: undefined, place: undefined };
    this.#awaited = undefined;
  }

  focus(): void {
    this.root.focus({ preventScroll: true });
  }

  #renew(list: number, total: number, isSame: boolean): void {
    // New checkpoints come in above; what is given up, below.
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
    // What is being read stays where it is; at the top, the newest is what is being read.
    if (scrollTop >= rowHeight) this.root.scrollTop = scrollTop + shift * rowHeight;
    this.#findSelected(shift);
  }

  /** The selection belongs to a checkpoint: it is found again wherever that went. */
  #findSelected(shift: number): void {
    const { position, place } = this.#selected;
    if (place !== undefined) {
      const moved = position === undefined ? undefined : position + shift;
      this.#selected = { place, position: this.#rows.positionOf(place) ?? moved };
      return;
    }
    const row = position === undefined ? undefined : this.#rows.at(position);
    if (row === undefined) return;
    this.#selected = { position, place: row.place };
    const { isOpened } = this.#awaited ?? { isOpened: false };
    this.#awaited = undefined;
    this.#events.chose(row, isOpened);
  }

  #view(): ListView {
    const height = this.#size?.height ?? 0;
    return { scrollTop: this.#scrollTop(), height, rowHeight, start: 0, end: this.#rows.total };
  }

  /** Before anything is shown there is nothing to scroll, and asking would have the browser lay out what is not there. */
  #scrollTop(): number {
    return this.#isLaidOut ? this.root.scrollTop : 0;
  }

  #measure(): { readonly width: number; readonly height: number } {
    return (this.#size ??= { width: this.root.clientWidth, height: this.root.clientHeight });
  }

  /** Painted at once, in the frame that shows the new size. */
  #resized(entry: ResizeObserverEntry | undefined): void {
    if (entry === undefined) return;
    const { width, height } = entry.contentRect;
    const before = this.#size;
    this.#size = { width, height };
    if (!this.#isLaidOut) return this.#rows.total > 0 ? this.#paintSoon() : undefined;
    if (before !== undefined && height < before.height) this.#keepInSight(before.height);
    this.#paint();
  }

  /** The detail opens below what was selected, where there is no room beside it. */
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

  /** With what is around it, where it was not in sight. */
  #bringIn(position: number): void {
    this.#measure();
    this.#isLaidOut = true;
    const view = this.#view();
    if (scrollTo(position, view) !== view.scrollTop)
      this.root.scrollTop = position * rowHeight - (view.height - rowHeight) / 2;
  }

  #move(position: number): void {
    this.#selected = { position, place: undefined };
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
    // Far away from what was seen the row has yet to come.
    this.#awaited = row === undefined ? { isOpened } : undefined;
    if (row === undefined) return;
    this.#selected = { position, place: row.place };
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
    this.#selected = { position, place: row.place };
    if (marks) this.#events.marked(row);
    this.#choose(!marks);
    this.#paint();
  }

  /** The editor shows its menu for the element that the event comes from; a key's event comes from the list. */
  #menu(event: MouseEvent): void {
    const hit = this.#hit(event);
    if (hit?.row !== undefined) {
      this.#selected = { position: hit.position, place: hit.row.place };
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
    const place = { clientX: left + 24, clientY: bottom };
    row?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...place }));
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
    // Rows that would be empty for a moment would flicker while somebody types.
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
    // Filled first: in the page, each change of them would be followed up.
    this.#space.append(...made);
  }

  /** Rows that are not seen yet are no part of what is waited for. */
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

  /** An element stays with its checkpoint while that is seen: screen readers hold on to elements. */
  #assign({ from, to }: Range): ReadonlyMap<number, RowElement> {
    const ofPlace = new Map(this.#elements.map((each) => [each.row?.place, each]));
    const free = new Set(this.#elements);
    const assigned = new Map<number, RowElement | undefined>();
    for (let position = from; position < to; position++) {
      const row = this.#rows.at(position);
      const each = row === undefined ? undefined : ofPlace.get(row.place);
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
      const { place } = this.#selected;
      const isSelected =
        row === undefined || place === undefined
          ? position !== undefined && position === this.#selected.position
          : row.place === place;
      each.mark(isSelected, row !== undefined && this.#marks.includes(row.place));
      if (isSelected) active = each.root.id;
    }
    if (active === '') this.root.removeAttribute('aria-activedescendant');
    else this.root.setAttribute('aria-activedescendant', active);
  }
}
