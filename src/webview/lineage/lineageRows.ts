import { missingRows, type Range } from '../shared/listWindow.ts';
import type { PageRow } from './lineageMessages.ts';

/** Rows are asked for so many at a time, beginning at whole multiples. */
const WINDOW = 50;
/** Rows that were scrolled by are forgotten beyond this. */
const MOST_KEPT = 3_000;

/** Rows came of which one was seen before: how far down it had moved without being noticed. */
export interface RowsMoved {
  readonly by: number;
}

/**
 * The rows that the page has, by position. After a change of the lineage the old ones stay to be seen, moved by as many
 * as came in above, until those that replace them are here.
 */
export class LineageRows {
  readonly #rows = new Map<number, PageRow>();
  /** As of the list before. */
  #old = new Map<number, PageRow>();
  /** Windows that were asked for, and how many of their rows were missing then. */
  readonly #asked = new Map<number, number>();
  #list = -1;
  #total = 0;
  /** Whether the old rows are where they belong. */
  #isSettled = true;
  #hasCome = false;

  get list(): number {
    return this.#list;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether rows of this list are here, or none is to come. */
  get hasCome(): boolean {
    return this.#hasCome || this.#total === 0;
  }

  /** Begins another list. `shift`: how far down its rows seem to have moved; absent: it has nothing to do with the last. */
  renew(list: number, total: number, shift: number | undefined): void {
    const isTooMuch = this.#old.size + this.#rows.size > MOST_KEPT;
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

  /** Where a checkpoint stands, among the rows that are here. */
  positionOf(place: number): number | undefined {
    for (const rows of [this.#rows, this.#old])
      for (const [position, row] of rows) if (row.place === place) return position;
    return undefined;
  }

  /** Takes in what the editor sent. The first rows of a list tell how far it really moved: what was guessed is put right. */
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

  /** What is to be asked for so that `range` can be shown: each window once, until it brought something new. */
  wanted(range: Range): readonly Range[] {
    const wanted: Range[] = [];
    for (let first = range.from - (range.from % WINDOW); first < range.to; first += WINDOW) {
      const whole = { from: first, to: Math.min(first + WINDOW, this.#total) };
      const missing = missingRows(whole, (position) => this.#rows.has(position));
      const count = missing === undefined ? 0 : missing.to - missing.from;
      if (missing === undefined || (this.#asked.get(first) ?? Infinity) <= count) continue;
      this.#asked.set(first, count);
      const last = wanted.at(-1);
      // One request for windows beside each other.
      if (last?.to === missing.from) wanted.splice(-1, 1, { from: last.from, to: missing.to });
      else wanted.push(missing);
    }
    return wanted;
  }

  /** Forgets what is far from what is seen. */
  forget({ from, to }: Range): void {
    if (this.#rows.size <= MOST_KEPT) return;
    for (const position of this.#rows.keys()) {
      if (position >= from - MOST_KEPT / 4 && position <= to + MOST_KEPT / 4) continue;
      this.#rows.delete(position);
      this.#asked.delete(position - (position % WINDOW));
    }
  }

  #difference(rows: readonly PageRow[]): number | undefined {
    const places = new Map(rows.map(({ place, position }) => [place, position]));
    for (const [position, { place }] of this.#old) {
      const now = places.get(place);
      if (now !== undefined) return now - position;
    }
    return undefined;
  }
}
