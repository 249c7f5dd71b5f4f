import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StateLimits } from '../../../core/index.ts';
import { integer, rowIdOf } from '../contract.ts';
import type { Materialiser } from './materialiser.ts';
import { type OldNode, OldNodes } from './oldNodes.ts';
import { TimeSlice } from './timeSlice.ts';
import { IS_SEEN, Stagings } from './stagings.ts';

/** After this time, other requests get their turn. Computing one state may take longer. */
const STEP_MS = 30;
/** Rows read before the clock is checked. */
const PAGE = 100;
/** Maximum rows per step, however fast they are. */
const MAX_A_STEP = 2_000;
/** Maximum checkpoints of one line removed at once: only the one after them needs a snapshot. */
const MAX_AT_ONCE = 1_000;
/** A snapshot must free at least `1 / WORTH` of its own size. */
const WORTH = 8;

/** What exceeds the limits, updated during removal. */
class Excess {
  readonly #counts = new Map<number, number>();
  readonly before: number;
  characters: number;

  constructor(counts: ReadonlyMap<number, number>, characters: number, before: number) {
    for (const [lineage, count] of counts) this.#counts.set(lineage, count);
    this.characters = characters;
    this.before = before;
  }

  /** Whether only checkpoints that are too old remain to be removed. */
  get isOver(): boolean {
    return this.characters <= 0 && [...this.#counts.values()].every((count) => count <= 0);
  }

  count(lineage: number): number {
    return this.#counts.get(lineage) ?? 0;
  }

  take({ lineage, weight }: OldNode): void {
    this.#counts.set(lineage, this.count(lineage) - 1);
    this.characters -= weight;
  }
}

/**
 * Removes what exceeds the limits, oldest first. A checkpoint can be removed if it has no children, or if it is a root
 * with one child. The child then becomes the root and gets a complete state. All other states stay the same.
 */
export class Retention {
  readonly #materialiser: Materialiser;
  readonly #nodes: OldNodes;
  readonly #kept: KeptNodes;
  readonly #stagings: Stagings;
  readonly #rowIds: StatementSync;
  readonly #counts: StatementSync;
  readonly #characters: StatementSync;
  /** Rows read or removed in this step. */
  #done = 0;

  constructor(database: DatabaseSync, materialiser: Materialiser) {
    this.#materialiser = materialiser;
    this.#nodes = new OldNodes(database);
    this.#kept = new KeptNodes(database);
    this.#stagings = new Stagings(database);
    this.#rowIds = database.prepare(
      `SELECT place, lineage, at FROM checkpoints WHERE place > ? ORDER BY place LIMIT ${PAGE}`,
    );
    this.#counts = database.prepare(`SELECT id AS place, count FROM lineages WHERE count > ? AND ${IS_SEEN}`);
    this.#characters = database.prepare(`SELECT coalesce(sum(size), 0) AS n FROM lineages WHERE ${IS_SEEN}`);
  }

  /** Runs one step after a row id. Returns the start of the next step, or null at the end. */
  step(limits: StateLimits, now: number, after: number): number | null {
    // Deletes leftovers of unfinished imports.
    if (this.#stagings.sweep(new TimeSlice())) return after;
    const deadline = performance.now() + STEP_MS;
    const excess = this.#excess(limits, now);
    this.#kept.begin();
    this.#done = 0;
    for (let cursor = after; ;) {
      const page = this.#rowIds.all(cursor);
      this.#done += page.length;
      for (const row of page) {
        cursor = rowIdOf(row);
        if (this.#kept.isStaged(integer(row['lineage'], 'lineage'))) continue;
        // Later rows are younger, except imported ones, which can wait for their turn.
        if (excess.isOver && integer(row['at'], 'at') >= excess.before) return this.#end(null);
        this.#giveUp(cursor, excess);
      }
      if (page.length < PAGE) return this.#end(null);
      if (this.#done >= MAX_A_STEP || performance.now() > deadline) return this.#end(cursor);
    }
  }

  #end(next: number | null): number | null {
    this.#nodes.settle();
    return next;
  }

  #excess({ count, ageMs, characters }: StateLimits, now: number): Excess {
    const counts = this.#counts
      .all(count)
      .map((row) => [rowIdOf(row), integer(row['count'], 'count') - count] as const);
    const total = integer(this.#characters.get()?.['n'], 'n');
    return new Excess(new Map(counts), total - characters, now - ageMs);
  }

  /** Removing a leaf may turn its parent into a leaf. */
  #giveUp(rowId: number, excess: Excess): void {
    for (let each: number | undefined = rowId; each !== undefined;) {
      const node = this.#nodes.find(each);
      if (node === undefined || !this.#mayGo(node, excess)) return;
      if (node.children === 0) {
        this.#nodes.remove(node);
        excess.take(node);
        each = node.parent;
      } else {
        if (node.parent === undefined && node.child !== undefined) this.#shorten(node, excess);
        return;
      }
    }
  }

  #mayGo(node: OldNode, excess: Excess): boolean {
    const isWanted = excess.count(node.lineage) > 0 || excess.characters > 0 || node.at < excess.before;
    return isWanted && !node.isPinned && !this.#kept.has(node.lineage, node.place);
  }

  /** Removes the start of a line: its root, and as many successors as allowed. */
  #shorten(root: OldNode, excess: Excess): void {
    const line: OldNode[] = [];
    let gained = 0;
    let chosen: Beginning | undefined;
    for (let node = root; line.length < MAX_AT_ONCE;) {
      const next = node.child === undefined ? undefined : this.#nodes.find(node.child);
      const isEnough = chosen !== undefined && chosen.gain >= excess.characters;
      if (next === undefined || node.children !== 1 || !this.#isDue(node, excess, line.length + 1, isEnough)) break;
      line.push(node);
      gained += node.weight;
      const gain = gained - (next.isWhole ? 0 : next.stateSize);
      const mustGo = isForced(node, excess, line.length);
      if (chosen === undefined || mustGo || gain >= chosen.gain) chosen = { length: line.length, gain, next };
      node = next;
    }
    if (chosen === undefined) return;
    // Writing a large snapshot repeatedly to remove a few patches is not worth it.
    const price = chosen.next.isWhole ? 0 : chosen.next.stateSize;
    if (chosen.gain <= price / WORTH && !isForced(root, excess, 1)) return;
    this.#begin(line.slice(0, chosen.length), chosen.next, excess);
  }

  #isDue(node: OldNode, excess: Excess, nth: number, isEnough: boolean): boolean {
    if (node.isPinned || this.#kept.has(node.lineage, node.place)) return false;
    return isForced(node, excess, nth) || !isEnough;
  }

  #begin(line: readonly OldNode[], next: OldNode, excess: Excess): void {
    this.#done += line.length;
    // Computed before its ancestors are removed.
    const state = next.isWhole ? undefined : this.#materialiser.text(next.place);
    const last = line.at(-1);
    this.#nodes.makeRoot(next, last?.checkpoint, state);
    excess.characters += state?.length ?? 0;
    for (const node of line) {
      this.#nodes.remove(node);
      excess.take(node);
    }
  }
}

interface Beginning {
  /** Number of checkpoints to remove. */
  readonly length: number;
  /** Characters freed. */
  readonly gain: number;
  /** The new root. */
  readonly next: OldNode;
}

/** Too old or beyond the count, whatever it frees. `nth` is its number among the removed ones. */
function isForced(node: OldNode, excess: Excess, nth: number): boolean {
  return node.at < excess.before || excess.count(node.lineage) >= nth;
}

/** Checkpoints that must be kept: heads, blocking ones, and everything in staging. */
class KeptNodes {
  readonly #rowIds: StatementSync;
  readonly #stagings: Stagings;
  #staged: ReadonlySet<number> = new Set();
  readonly #byLineage = new Map<number, ReadonlySet<number>>();

  constructor(database: DatabaseSync) {
    this.#stagings = new Stagings(database);
    this.#rowIds = database.prepare(
      `SELECT head AS place FROM lineages WHERE id = ?1 AND head IS NOT NULL
       UNION SELECT blocked_by FROM lineages WHERE id = ?1 AND blocked_by IS NOT NULL
       UNION SELECT place FROM heads WHERE lineage = ?1`,
    );
  }

  /** Drops cached rows, which another transaction may have changed. */
  begin(): void {
    this.#byLineage.clear();
    this.#staged = this.#stagings.all;
  }

  /** Whether the lineage is staged and not visible yet. */
  isStaged(lineage: number): boolean {
    return this.#staged.has(lineage);
  }

  has(lineage: number, rowId: number): boolean {
    if (this.isStaged(lineage)) return true;
    const known = this.#byLineage.get(lineage) ?? new Set(this.#rowIds.all(lineage).map(rowIdOf));
    this.#byLineage.set(lineage, known);
    return known.has(rowId);
  }
}
