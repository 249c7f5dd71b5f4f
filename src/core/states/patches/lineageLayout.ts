import type { RowGraph } from '../../model/lineage.ts';

/** Maximum parallel lanes. */
export const MAX_LANES = 40;

/** The last lane is shared by all lines without a free lane. One line is drawn, with the number of others. */
export const BUNDLE_LANE = MAX_LANES - 1;

const NONE = -1;
/** Rows per block. State before each block is stored, so that drawing can start there. */
const BLOCK_BITS = 8;
const IN_BLOCK = (1 << BLOCK_BITS) - 1;

/** Fields of a row in one typed array. Rows are mostly appended, which is then almost free. */
const PARENT = 0;
const LANE = 1;
/** The next row in the same lane. Between both rows, the lane only has the line of the later one. 0 means none. */
const AFTER = 2;
/** Bit set of the children's lanes, in two numbers. */
const CHILDREN = 3;
/** Lines in the shared lane that leave the row upwards, minus its own line from below. */
const BUNDLED = 5;
const FIELDS = 6;

/**
 * Layout of the checkpoints of a lineage. Rows are ordered oldest first. A line runs from a checkpoint down to its
 * parent, in the lane of the checkpoint. Appending takes constant time for any tree and never moves existing rows, so a
 * page can be updated with a single row.
 */
export class LineageLayout {
  #rows = 0;
  #lanes = 0;
  #room = IN_BLOCK + 1;
  #table = new Int32Array(this.#room * FIELDS);
  #bundledInBlock = new Int32Array(1);
  /** For each lane: the newest row before each block, the newest row, and the oldest row. */
  #newestBefore = new Int32Array(BUNDLE_LANE);
  readonly #newest = new Int32Array(BUNDLE_LANE).fill(NONE);
  readonly #oldest = new Int32Array(BUNDLE_LANE).fill(NONE);

  get rows(): number {
    return this.#rows;
  }

  /** Number of lanes to draw. */
  get lanes(): number {
    return this.#lanes;
  }

  /** Appends a row. `parentRow` is -1 without a parent; a parent that is not an earlier row is ignored. */
  append(parentRow: number): number {
    const row = this.#rows;
    if ((row & IN_BLOCK) === 0) this.#beginBlock(row);
    const table = this.#table;
    const newest = this.#newest;
    const parent = parentRow >= 0 && parentRow < row && Number.isInteger(parentRow) ? parentRow : NONE;
    // Without a line any lane works, and roots are expected at the edge.
    let lane = 0;
    if (parent !== NONE) {
      const at = parent * FIELDS;
      lane = table[at + LANE] ?? 0;
      if (newest[lane] !== parent) lane = this.#freeLane(parent);
      const word = at + CHILDREN + (lane >>> 5);
      table[word] = (table[word] ?? 0) | (1 << lane);
    }
    const at = row * FIELDS;
    table[at + PARENT] = parent;
    table[at + LANE] = lane;
    this.#rows = row + 1;
    if (lane === BUNDLE_LANE) this.#bundle(parent, row);
    else {
      const before = newest[lane] ?? NONE;
      if (before === NONE) this.#beginLane(lane, row);
      else table[before * FIELDS + AFTER] = row;
      newest[lane] = row;
    }
    return row;
  }

  graph(row: number): RowGraph {
    const [graph] = this.graphs(row, row + 1);
    if (graph === undefined) throw new RangeError(`There is no row ${row} among ${this.#rows}.`);
    return graph;
  }

  /** The graphs of rows `from` (inclusive) to `to` (exclusive), clipped to existing rows. */
  graphs(from: number, to: number): RowGraph[] {
    const first = Math.max(0, from);
    const end = Math.min(this.#rows, to);
    if (first >= end) return [];
    const next = this.#standingFrom(first);
    let bundled = this.#bundledBefore(first);
    const graphs: RowGraph[] = [];
    for (let row = first; row < end; row++) {
      const lane = this.#field(row, LANE);
      const passing = bundled - (lane === BUNDLE_LANE ? 1 : 0);
      const through = this.#through(row, next);
      if (passing > 0) through.push(BUNDLE_LANE);
      graphs.push({
        lane,
        through,
        children: this.#childLanes(row),
        hasParent: this.#field(row, PARENT) !== NONE,
        folded: Math.max(0, passing - 1),
      });
      if (lane !== BUNDLE_LANE) next[lane] = this.#next(row);
      bundled += this.#field(row, BUNDLED);
    }
    return graphs;
  }

  #freeLane(parent: number): number {
    const newest = this.#newest;
    for (let lane = 0; lane < BUNDLE_LANE; lane++) if ((newest[lane] ?? NONE) < parent) return lane;
    return BUNDLE_LANE;
  }

  #beginLane(lane: number, row: number): void {
    this.#oldest[lane] = row;
    this.#lanes = Math.max(this.#lanes, lane + 1);
  }

  #bundle(parent: number, row: number): void {
    this.#lanes = MAX_LANES;
    this.#addBundled(parent, 1);
    this.#addBundled(row, -1);
  }

  #addBundled(row: number, amount: number): void {
    const block = row >>> BLOCK_BITS;
    this.#table[row * FIELDS + BUNDLED] = this.#field(row, BUNDLED) + amount;
    this.#bundledInBlock[block] = (this.#bundledInBlock[block] ?? 0) + amount;
  }

  #beginBlock(row: number): void {
    if (row === this.#room) {
      this.#room *= 2;
      this.#table = doubled(this.#table);
      this.#bundledInBlock = doubled(this.#bundledInBlock);
      this.#newestBefore = doubled(this.#newestBefore);
    }
    this.#newestBefore.set(this.#newest, (row >>> BLOCK_BITS) * BUNDLE_LANE);
  }

  #field(row: number, field: number): number {
    return this.#table[row * FIELDS + field] ?? 0;
  }

  /** Number of lines in the shared lane that reach a row from earlier rows. */
  #bundledBefore(row: number): number {
    const block = row >>> BLOCK_BITS;
    let sum = 0;
    for (let index = 0; index < block; index++) sum += this.#bundledInBlock[index] ?? 0;
    for (let index = block << BLOCK_BITS; index < row; index++) sum += this.#field(index, BUNDLED);
    return sum;
  }

  /** For each lane, the first row at or after the given one, or -1. */
  #standingFrom(row: number): Int32Array {
    const lanes = Math.min(this.#lanes, BUNDLE_LANE);
    const known = (row >>> BLOCK_BITS) * BUNDLE_LANE;
    const standing = new Int32Array(lanes);
    for (let lane = 0; lane < lanes; lane++) {
      const before = this.#newestBefore[known + lane] ?? NONE;
      let each = before === NONE ? (this.#oldest[lane] ?? NONE) : this.#next(before);
      while (each !== NONE && each < row) each = this.#next(each);
      standing[lane] = each;
    }
    return standing;
  }

  #next(row: number): number {
    const after = this.#field(row, AFTER);
    return after === 0 ? NONE : after;
  }

  /** Lanes whose next row is above this row and whose parent is below it. */
  #through(row: number, next: Int32Array): number[] {
    const lanes: number[] = [];
    const table = this.#table;
    for (let lane = 0; lane < next.length; lane++) {
      const standing = next[lane] ?? NONE;
      if (standing <= row) continue;
      const parent = table[standing * FIELDS + PARENT] ?? NONE;
      if (parent !== NONE && parent < row) lanes.push(lane);
    }
    return lanes;
  }

  #childLanes(row: number): number[] {
    const lanes: number[] = [];
    addLanes(lanes, this.#field(row, CHILDREN), 0);
    addLanes(lanes, this.#field(row, CHILDREN + 1), 32);
    return lanes;
  }
}

function addLanes(lanes: number[], word: number, first: number): void {
  for (let bits = word; bits !== 0; bits &= bits - 1) lanes.push(first + 31 - Math.clz32(bits & -bits));
}

/** Doubling keeps the amortized cost per number constant. */
function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(numbers.length * 2);
  wider.set(numbers);
  return wider;
}
