import { LineageLayout } from '../../../core/states/patches/lineageLayout.ts';

const FIRST_CAPACITY = 1_024;
const NO_ROW = -1;

/** The tree of one lineage in memory. Row 0 is the oldest checkpoint. */
export class LineageShape {
  readonly layout = new LineageLayout();
  #rowIds = new Float64Array(FIRST_CAPACITY);
  #parents = new Int32Array(FIRST_CAPACITY);
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /** Id of the newest row, or 0 without rows. */
  get lastRowId(): number {
    return this.rowIdAt(this.#rows - 1);
  }

  rowIdAt(row: number): number {
    return this.#rowIds[row] ?? 0;
  }

  /** Row of the stored parent, or -1. */
  parentOf(row: number): number {
    return row < 0 || row >= this.#rows ? NO_ROW : (this.#parents[row] ?? NO_ROW);
  }

  /** Row with this id, or -1. */
  rowOf(rowId: number): number {
    let low = 0;
    let high = this.#rows - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.rowIdAt(middle);
      if (found === rowId) return middle;
      if (found < rowId) low = middle + 1;
      else high = middle - 1;
    }
    return NO_ROW;
  }

  /** Appends newer rows. `parents` has places, or 0 without a parent. */
  append(rowIds: Float64Array, parents: Float64Array): void {
    const first = this.#rows;
    this.#reserve(first + rowIds.length);
    this.#rowIds.set(rowIds, first);
    this.#rows += rowIds.length;
    for (let i = 0; i < rowIds.length; i++) {
      const row = first + i;
      const parent = this.#rowOfParent(row, parents[i] ?? 0);
      this.#parents[row] = parent;
      this.layout.append(parent);
    }
  }

  /** Marks a row and its ancestors with 1. */
  lineOf(row: number): Uint8Array {
    const marks = new Uint8Array(this.#rows);
    for (let each = row; each >= 0 && marks[each] === 0; each = this.parentOf(each)) marks[each] = 1;
    return marks;
  }

  #rowOfParent(row: number, parent: number): number {
    if (parent === 0) return NO_ROW;
    return this.rowIdAt(row - 1) === parent && row > 0 ? row - 1 : this.rowOf(parent);
  }

  #reserve(rows: number): void {
    if (rows <= this.#rowIds.length) return;
    const capacity = Math.max(rows, this.#rowIds.length * 2);
    const rowIds = new Float64Array(capacity);
    const parents = new Int32Array(capacity);
    rowIds.set(this.#rowIds);
    parents.set(this.#parents);
    this.#rowIds = rowIds;
    this.#parents = parents;
  }
}
