import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MOST_PATH } from '../../../core/model/lineage.ts';
import { integer, type Row } from '../records.ts';
import type { LineageIndex } from './lineageIndex.ts';
import type { LineageShape } from './lineageShape.ts';
import type { Materialiser } from './materialiser.ts';
import { CHECKPOINT_COLUMNS } from './rows.ts';

/** What lies between the head and another checkpoint. */
export class Paths {
  readonly #index: LineageIndex;
  readonly #materialiser: Materialiser;
  readonly #node: StatementSync;

  constructor(database: DatabaseSync, index: LineageIndex, materialiser: Materialiser) {
    this.#index = index;
    this.#materialiser = materialiser;
    this.#node = database.prepare(`SELECT lineage, ${CHECKPOINT_COLUMNS} FROM checkpoints WHERE place = ?`);
  }

  path(place: number): Row | null {
    const target = this.#node.get(place);
    const lineage = target === undefined ? undefined : this.#index.lineageById(integer(target['lineage'], 'lineage'));
    if (lineage === undefined) return null;
    const shape = this.#index.shape(lineage);
    const { left, count, meeting } = wayBack(shape, rowOf(shape, lineage.head), shape.rowOf(place));
    return {
      left: left.map((row) => this.#node.get(shape.placeAt(row))),
      leftCount: count,
      isBack: meeting === shape.rowOf(place) && count > 0,
      head: lineage.head === undefined ? null : (this.#node.get(lineage.head) ?? null),
      target,
      hasState: this.#materialiser.hasState(place),
    };
  }
}

interface WayBack {
  /** Rows from the head on down; the first of them. */
  readonly left: readonly number[];
  readonly count: number;
  /** Where the way meets the line of the target; -1 where it never does. */
  readonly meeting: number;
}

function wayBack(shape: LineageShape, head: number, target: number): WayBack {
  const kept = shape.lineOf(target);
  const left: number[] = [];
  let count = 0;
  let row = head;
  for (; row >= 0 && kept[row] !== 1 && count < shape.rows; row = shape.parentOf(row))
    if (++count <= MOST_PATH) left.push(row);
  return { left, count, meeting: row };
}

function rowOf(shape: LineageShape, place: number | undefined): number {
  return place === undefined ? -1 : shape.rowOf(place);
}
