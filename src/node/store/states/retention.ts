import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StateLimits } from '../../../core/index.ts';
import { integer, placeOf } from '../records.ts';
import type { Materialiser } from './materialiser.ts';
import { type OldNode, OldNodes } from './oldNodes.ts';
import { Pace } from './pace.ts';
import { IS_SEEN, Stagings } from './stagings.ts';

/** After this, whoever waits for the store's thread comes first. One state that is made takes what it takes. */
const STEP_MS = 30;
/** Nodes that are looked at before the clock is. */
const PAGE = 100;
/** However fast it goes. */
const MOST_A_STEP = 2_000;
/** Nodes of one line that go at once: only the one after the last of them needs its whole state written down. */
const MOST_AT_ONCE = 1_000;
/** How much of what a whole state takes must be given back for it. */
const WORTH = 8;

/** How much too much there is, while it becomes less. */
class Excess {
  readonly #counts = new Map<number, number>();
  readonly before: number;
  characters: number;

  constructor(counts: ReadonlyMap<number, number>, characters: number, before: number) {
    for (const [lineage, count] of counts) this.#counts.set(lineage, count);
    this.characters = characters;
    this.before = before;
  }

  /** Of nodes that are not old, none is wanted any more. */
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
 * Gives up what is beyond the limits, the oldest first. A checkpoint may go when nobody builds on it, or when it is a
 * root on which one builds, which then is the root and keeps its whole state. The state of all others stays as it is.
 */
export class Retention {
  readonly #materialiser: Materialiser;
  readonly #nodes: OldNodes;
  readonly #kept: KeptNodes;
  readonly #stagings: Stagings;
  readonly #places: StatementSync;
  readonly #counts: StatementSync;
  readonly #characters: StatementSync;
  /** Nodes that this step looked at or gave up. */
  #done = 0;

  constructor(database: DatabaseSync, materialiser: Materialiser) {
    this.#materialiser = materialiser;
    this.#nodes = new OldNodes(database);
    this.#kept = new KeptNodes(database);
    this.#stagings = new Stagings(database);
    this.#places = database.prepare(
      `SELECT place, lineage, at FROM checkpoints WHERE place > ? ORDER BY place LIMIT ${PAGE}`,
    );
    this.#counts = database.prepare(`SELECT id AS place, count FROM lineages WHERE count > ? AND ${IS_SEEN}`);
    this.#characters = database.prepare(`SELECT coalesce(sum(size), 0) AS n FROM lineages WHERE ${IS_SEEN}`);
  }

  /** A step of it, behind a place; returns behind which place the next one begins, or nothing where all is done. */
  step(limits: StateLimits, now: number, after: number): number | null {
    // What imports left behind that never came to their end.
    if (this.#stagings.sweep(new Pace())) return after;
    const deadline = performance.now() + STEP_MS;
    const excess = this.#excess(limits, now);
    this.#kept.begin();
    this.#done = 0;
    for (let cursor = after; ;) {
      const page = this.#places.all(cursor);
      this.#done += page.length;
      for (const row of page) {
        cursor = placeOf(row);
        if (this.#kept.isStaged(integer(row['lineage'], 'lineage'))) continue;
        // What comes later is younger, but for what was brought in from elsewhere, which has time until it is its turn.
        if (excess.isOver && integer(row['at'], 'at') >= excess.before) return this.#end(null);
        this.#giveUp(cursor, excess);
      }
      if (page.length < PAGE) return this.#end(null);
      if (this.#done >= MOST_A_STEP || performance.now() > deadline) return this.#end(cursor);
    }
  }

  #end(next: number | null): number | null {
    this.#nodes.settle();
    return next;
  }

  #excess({ count, ageMs, characters }: StateLimits, now: number): Excess {
    const counts = this.#counts
      .all(count)
      .map((row) => [placeOf(row), integer(row['count'], 'count') - count] as const);
    const total = integer(this.#characters.get()?.['n'], 'n');
    return new Excess(new Map(counts), total - characters, now - ageMs);
  }

  /** One that nobody builds on may leave another one behind on which nobody builds any more. */
  #giveUp(place: number, excess: Excess): void {
    for (let each: number | undefined = place; each !== undefined;) {
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

  /** Takes away the beginning of a line: its root, and as many of those after it as may go. */
  #shorten(root: OldNode, excess: Excess): void {
    const line: OldNode[] = [];
    let gained = 0;
    let chosen: Beginning | undefined;
    for (let node = root; line.length < MOST_AT_ONCE;) {
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
    // To write down a large state again and again, each time to be rid of a few patches, is worth nothing.
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
    // While all that it is made of is still there.
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
  /** How many go. */
  readonly length: number;
  /** Characters that this gives back. */
  readonly gain: number;
  /** The root after that. */
  readonly next: OldNode;
}

/** Too old, or one too many, whatever room it gives; `nth` of those that go. */
function isForced(node: OldNode, excess: Excess, nth: number): boolean {
  return node.at < excess.before || excess.count(node.lineage) >= nth;
}

/** The places of lineages at which somebody stands, or which block them, and all of what is being read in. */
class KeptNodes {
  readonly #places: StatementSync;
  readonly #stagings: Stagings;
  #staged: ReadonlySet<number> = new Set();
  readonly #byLineage = new Map<number, ReadonlySet<number>>();

  constructor(database: DatabaseSync) {
    this.#stagings = new Stagings(database);
    this.#places = database.prepare(
      `SELECT head AS place FROM lineages WHERE id = ?1 AND head IS NOT NULL
       UNION SELECT blocked_by FROM lineages WHERE id = ?1 AND blocked_by IS NOT NULL
       UNION SELECT place FROM heads WHERE lineage = ?1`,
    );
  }

  /** Forgets what another transaction may have changed. */
  begin(): void {
    this.#byLineage.clear();
    this.#staged = this.#stagings.all;
  }

  /** It is being read in: nobody sees it yet. */
  isStaged(lineage: number): boolean {
    return this.#staged.has(lineage);
  }

  has(lineage: number, place: number): boolean {
    if (this.isStaged(lineage)) return true;
    const known = this.#byLineage.get(lineage) ?? new Set(this.#places.all(lineage).map(placeOf));
    this.#byLineage.set(lineage, known);
    return known.has(place);
  }
}
