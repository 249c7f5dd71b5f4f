import type { RowGraph } from '../../../../../src/core/model/lineage.ts';

const DRAWN = 40;
const BUNDLE = DRAWN - 1;

/** A simple layout that visits every row and line each time. Parents by row, -1 for none. */
export class PlainLayout {
  readonly #parents: readonly number[];
  readonly #laneOf: number[] = [];

  constructor(parents: readonly number[]) {
    this.#parents = parents;
    parents.forEach((parent, row) => this.#laneOf.push(this.#choose(parent, row)));
  }

  get lanes(): readonly number[] {
    return this.#laneOf;
  }

  graphs(): readonly RowGraph[] {
    return this.#laneOf.map((lane, row) => {
      const children = this.#lines().filter(({ from }) => from === row);
      const passing = this.#lines().filter(({ from, to }) => from < row && row < to);
      return {
        lane,
        through: distinct(passing.map((line) => line.lane)),
        children: distinct(children.map((line) => line.lane)),
        hasParent: this.#parentOf(row) >= 0,
        folded: Math.max(0, passing.filter((line) => line.lane === BUNDLE).length - 1),
      };
    });
  }

  #choose(parent: number, row: number): number {
    if (parent < 0) return 0;
    const own = this.#laneOf[parent] ?? 0;
    const isFree = (lane: number): boolean => lane < BUNDLE && !this.#isTaken(lane, parent + 1, row);
    if (isFree(own)) return own;
    return Array.from({ length: BUNDLE }, (_, lane) => lane).find(isFree) ?? BUNDLE;
  }

  #isTaken(lane: number, from: number, to: number): boolean {
    const stands = this.#laneOf.some((other, row) => other === lane && from <= row && row < to);
    return stands || this.#lines().some((line) => line.lane === lane && line.from < to - 1 && line.to > from);
  }

  #lines(): readonly { readonly lane: number; readonly from: number; readonly to: number }[] {
    return this.#laneOf.flatMap((lane, to) => {
      const from = this.#parentOf(to);
      return from < 0 ? [] : [{ lane, from, to }];
    });
  }

  #parentOf(row: number): number {
    return this.#parents[row] ?? -1;
  }
}

function distinct(lanes: readonly number[]): readonly number[] {
  return [...new Set(lanes)].sort((a, b) => a - b);
}
