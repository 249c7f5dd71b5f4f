import { element } from './elements.ts';
import { carryLooks, columnWidth, GRAPH, lanesWithin, type LineLooks, PLAIN_LINES } from './lineageGraph.ts';
import { listKey } from './lineageKeys.ts';
import type { LineageStatus, PageRow } from './lineageMessages.ts';
import { RowElement } from './lineageRow.ts';
import { LineageRows } from './lineageRows.ts';
import { type ListView, type Range, scrollTo, visibleRows } from './listWindow.ts';

const { rowHeight } = GRAPH;
const MARGIN = 8;
/** So far around what is seen rows are asked for before they are. */
const AHEAD = 60;
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
  #lanes = 1;
  #shownLanes = 1;
  #heldUntil = 0;
  #painting: number | undefined;

  constructor(events: LineageListEvents) {
    this.#events = events;
    this.root.append(this.#space);
    this.root.addEventListener('scroll', () => this.#paintSoon(), { passive: true });
    this.root.addEventListener('keydown', (event) => this.#key(event));
    this.root.addEventListener('click', (event) => this.#click(event));
    this.root.addEventListener('contextmenu', (event) => this.#menu(event));
    new ResizeObserver(() => this.#resized()).observe(this.root);
  }

  get selected(): number | undefined {
    return this.#selected.place;
  }

  /** `isSame`: of the lineage and the filter that were shown before. */
  set({ list, total, all, lanes }: LineageStatus, isSame: boolean): void {
    // Where a filter leaves rows out, no lines are drawn.
    this.#lanes = total < all ? 1 : lanes;
    this.#fitLanes();
    if (list !== this.#rows.list) this.#renew(list, total, isSame);
    // Before the next frame, and no more than it needs: by then the rows may be here.
    this.#ask(visibleRows(this.#view(), 0));
    this.#paintSoon();
  }

  add(list: number, rows: readonly PageRow[]): void {
    const isAtTop = this.root.scrollTop < rowHeight;
    const moved = this.#rows.add(list, rows);
    if (moved !== undefined && moved.by !== 0 && !isAtTop) this.root.scrollTop += moved.by * rowHeight;
    this.#findSelected(moved?.by ?? 0);
    this.#paintSoon();
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
    const { scrollTop } = this.root;
    this.#rows.renew(list, total, shift);
    this.#space.style.setProperty('height', `${total * rowHeight}px`);
    if (shift === undefined) {
      this.root.scrollTop = 0;
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
    const { scrollTop, clientHeight: height } = this.root;
    return { scrollTop, height, rowHeight, start: 0, end: this.#rows.total };
  }

  #resized(): void {
    this.#fitLanes();
    this.#paintSoon();
  }

  #fitLanes(): void {
    this.#shownLanes = lanesWithin(this.root.clientWidth, this.#lanes);
    this.root.parentElement?.style.setProperty('--graph-width', `${columnWidth(this.#shownLanes)}px`);
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
    this.#painting ??= requestAnimationFrame(() => {
      this.#painting = undefined;
      this.#paint();
    });
  }

  #paint(): void {
    const view = this.#view();
    this.#ask(visibleRows(view, AHEAD));
    // Rows that would be empty for a moment would flicker while somebody types.
    if (!this.#rows.hasCome && performance.now() < this.#heldUntil) return;
    const range = visibleRows(view, MARGIN);
    this.#rows.forget(range);
    let above: LineLooks = PLAIN_LINES;
    for (const [position, each] of this.#assign(range)) {
      const row = this.#rows.at(position);
      each.show(row, { position, total: this.#rows.total, lanes: this.#shownLanes, above });
      above = row === undefined ? PLAIN_LINES : carryLooks(above, row);
    }
    this.#markRows();
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
    this.#space.append(made.root);
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
