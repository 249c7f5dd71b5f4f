import { missingRows, type Range } from '../shared/listWindow.ts';
import type { PageRow } from './lineageMessages.ts';

/** Rows per request. Requests start at multiples of this. */
const WINDOW = 50;
/** Maximum rows to keep while scrolling. */
const MAX_KEPT = 3_000;

/** Reports that loaded rows moved further down than assumed. */
interface RowsMoved {
  readonly by: number;
}

/**
 * Loaded rows by position. After a change, the old rows stay visible, shifted by the number of new ones, until their
 * replacements arrive.
 */
export class LineageRows {
  readonly #rows = new Map<number, PageRow>();
  /** Rows of the previous list. */
  #old = new Map<number, PageRow>();
  /** Requested windows, with the number of missing rows at that time. */
  readonly #asked = new Map<number, number>();
  #list = -1;
  #total = 0;
  /** Whether the old rows are at their real positions. */
  #isSettled = true;
  #hasCome = false;

  get list(): number {
    return this.#list;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether rows of this list have arrived or there are none. */
  get hasCome(): boolean {
    return this.#hasCome || this.#total === 0;
  }

  /** Starts a new list. `shift` is the presumed movement of its rows; absent for an unrelated list. */
  renew(list: number, total: number, shift: number | undefined): void {
    const isTooMuch = this.#old.size + this.#rows.size > MAX_KEPT;
    const kept = shift === undefined ? [] : [...(isTooMuch ? [] : this.#old), ...this.#rows];
    this.#old = new Map(kept.map(([position, row]) => [position + (shift ?? 0), row]));
    this.#rows.clear();
    this.#asked.clear();
    this.#isSettled = kept.length === 0;
    this.#hasCome = false;
    this.#list = list;
    this.#total = total;
  }

  at(position: number): PageRow | undefined {
    return this.#rows.get(position) ?? (position < this.#total ? this.#old.get(position) : undefined);
  }

  /** Position of a loaded checkpoint. */
  positionOf(rowId: number): number | undefined {
    for (const rows of [this.#rows, this.#old])
      for (const [position, row] of rows) if (row.place === rowId) return position;
    return undefined;
  }

  /** Adds received rows. The first ones of a list show how far the old rows really moved, and correct them. */
  add(list: number, rows: readonly PageRow[]): RowsMoved | undefined {
    if (list !== this.#list) return undefined;
    const by = this.#isSettled ? undefined : this.#difference(rows);
    for (const row of rows) this.#rows.set(row.position, row);
    this.#hasCome = true;
    if (by === undefined) return undefined;
    this.#isSettled = true;
    if (by !== 0) this.#old = new Map([...this.#old].map(([position, row]) => [position + by, row]));
    return { by };
  }

  /** The windows to request for `range`. Each is requested once until it has returned new rows. */
  wanted(range: Range): readonly Range[] {
    const wanted: Range[] = [];
    for (let first = range.from - (range.from % WINDOW); first < range.to; first += WINDOW) {
      const whole = { from: first, to: Math.min(first + WINDOW, this.#total) };
      const missing = missingRows(whole, (position) => this.#rows.has(position));
      const count = missing === undefined ? 0 : missing.to - missing.from;
      if (missing === undefined || (this.#asked.get(first) ?? Infinity) <= count) continue;
      this.#asked.set(first, count);
      const last = wanted.at(-1);
      // Merges adjacent windows into one request.
      if (last?.to === missing.from) wanted.splice(-1, 1, { from: last.from, to: missing.to });
      else wanted.push(missing);
    }
    return wanted;
  }

  /** Drops rows far from the visible ones. */
  forget({ from, to }: Range): void {
    if (this.#rows.size <= MAX_KEPT) return;
    for (const position of this.#rows.keys()) {
      if (position >= from - MAX_KEPT / 4 && position <= to + MAX_KEPT / 4) continue;
      this.#rows.delete(position);
      this.#asked.delete(position - (position % WINDOW));
    }
  }

  #difference(rows: readonly PageRow[]): number | undefined {
    const positions = new Map(rows.map(({ place, position }) => [place, position]));
    for (const [position, { place }] of this.#old) {
      const now = positions.get(place);
      if (now !== undefined) return now - position;
    }
    return undefined;
  }
}
