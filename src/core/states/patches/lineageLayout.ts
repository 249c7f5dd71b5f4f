import type { RowGraph } from '../../model/lineage.ts';

/** Lanes beside each other at the most. */
export const MOST_LANES = 40;

/** The last lane is a bundle of all lines for which no other was free: one is drawn, and how many more is told. */
export const BUNDLE_LANE = MOST_LANES - 1;

const NONE = -1;
/** So many rows are one block: where a block begins, it is known what came before it. */
const BLOCK_BITS = 8;
const IN_BLOCK = (1 << BLOCK_BITS) - 1;

/** What is known of a row, side by side in one table: most rows are only appended, and that takes next to no time. */
const PARENT = 0;
const LANE = 1;
/** The next row in its lane: between the two there is no other line than that of the later one. 0: none. */
const AFTER = 2;
/** The lanes of its children, as bits of two numbers. */
const CHILDREN = 3;
/** How many lines of the bundle leave it upwards, less its own, which comes from below. */
const BUNDLED = 5;
const FIELDS = 6;

/**
 * Where the checkpoints of a lineage stand beside each other. Rows are the oldest first; a line runs from a checkpoint
 * down to its parent, in the lane of the checkpoint. One is appended in constant time whatever the tree looks like,
 * and none that stands ever moves, so that a page which shows some of them can be told of one more.
 */
export class LineageLayout {
  #rows = 0;
  #lanes = 0;
  #room = IN_BLOCK + 1;
  #table = new Int32Array(this.#room * FIELDS);
  #bundledInBlock = new Int32Array(1);
  /** Of each lane, the newest row before each block, the newest of all, and the oldest. */
  #newestBefore = new Int32Array(BUNDLE_LANE);
  readonly #newest = new Int32Array(BUNDLE_LANE).fill(NONE);
  readonly #oldest = new Int32Array(BUNDLE_LANE).fill(NONE);

  get rows(): number {
    return this.#rows;
  }

  /** As drawn. */
  get lanes(): number {
    return this.#lanes;
  }

  /** The row of the parent, or -1 where there is none. One that is not before it is none: there is no way to it. */
  append(parentRow: number): number {
    const row = this.#rows;
    if ((row & IN_BLOCK) === 0) this.#beginBlock(row);
    const table = this.#table;
    const newest = this.#newest;
    const parent = parentRow >= 0 && parentRow < row && Number.isInteger(parentRow) ? parentRow : NONE;
    // With no line to draw every lane will do, and the beginning of a tree is looked for at the edge.
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

  /** From the first row up to the second one, which is not among them; as many as there are. */
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
    this.#lanes = MOST_LANES;
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

  /** How many lines of the bundle come up to a row from those before it. */
  #bundledBefore(row: number): number {
    const block = row >>> BLOCK_BITS;
    let sum = 0;
    for (let index = 0; index < block; index++) sum += this.#bundledInBlock[index] ?? 0;
    for (let index = block << BLOCK_BITS; index < row; index++) sum += this.#field(index, BUNDLED);
    return sum;
  }

  /** Of each lane, the first row in it that is not before the given one, or -1. */
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

  /** Lanes of which the next one that stands there is above the row, and its parent below. */
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

/** Taking twice the room whenever it is full costs no more than two steps for every number. */
function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(numbers.length * 2);
  wider.set(numbers);
  return wider;
}
