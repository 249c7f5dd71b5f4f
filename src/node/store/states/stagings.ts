import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { randomUUID } from 'node:crypto';
import type { StateKeeper } from '../../../core/model/lineage.ts';
import { integer, rowIdOf } from '../contract.ts';
import type { TimeSlice } from './timeSlice.ts';

/** The server of hidden lineages. No server can have this name. */
const STAGING_SERVER = '\u0001import';
/** Condition for visible lineages. */
export const IS_SEEN = `server <> '${STAGING_SERVER}'`;
/** Longer than an import's thread may be silent before it is terminated. */
const STALE_MS = 120_000;
/** Small pages, because each row may hold a large state. */
const PAGE = 50;

export function isStaging(server: unknown): boolean {
  return server === STAGING_SERVER;
}

/** A staged lineage. `name` is unique; its id may be reused after a failure. */
export interface Staging {
  readonly id: number;
  readonly name: string;
}

/** Others changed or removed rows that the import depends on. */
export class Overtaken extends Error {}

/** Lineages that stay hidden until they are complete, and leftovers of unfinished ones. */
export class Stagings {
  readonly #begin: StatementSync;
  readonly #find: StatementSync;
  readonly #add: StatementSync;
  readonly #giveUp: StatementSync;
  readonly #all: StatementSync;
  readonly #stale: StatementSync;
  readonly #removeSnapshots: StatementSync;
  readonly #removeNodes: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    const isIt = `NOT ${IS_SEEN} AND feature_set = ?`;
    this.#begin = database.prepare(
      `INSERT INTO lineages (server, feature_set, keeper, changed_at) VALUES ('${STAGING_SERVER}', ?, ?, ?) RETURNING id AS place`,
    );
    this.#find = database.prepare(`SELECT id, count, size FROM lineages WHERE ${isIt} AND changed_at > 0`);
    this.#add = database.prepare(
      `UPDATE lineages SET count = count + ?, size = size + ?, changed_at = ? WHERE ${isIt} AND changed_at > 0`,
    );
    this.#giveUp = database.prepare(`UPDATE lineages SET changed_at = 0 WHERE ${isIt}`);
    this.#all = database.prepare(`SELECT id AS place FROM lineages WHERE NOT ${IS_SEEN}`);
    this.#stale = database.prepare(
      `SELECT id AS place, feature_set AS name FROM lineages
       WHERE NOT ${IS_SEEN} AND changed_at NOT BETWEEN ?1 - ${STALE_MS} AND ?1 + ${STALE_MS} LIMIT 1`,
    );
    const page = `(SELECT place FROM checkpoints WHERE lineage = ? ORDER BY place LIMIT ${PAGE})`;
    this.#removeSnapshots = database.prepare(`DELETE FROM snapshots WHERE place IN ${page}`);
    this.#removeNodes = database.prepare(`DELETE FROM checkpoints WHERE place IN ${page}`);
    this.#remove = database.prepare('DELETE FROM lineages WHERE id = ?');
  }

  begin(keeper: StateKeeper): Staging {
    const name = randomUUID();
    return { id: rowIdOf(this.#begin.get(name, keeper, Date.now()) ?? {}), name };
  }

  /** The current row of the staged lineage. */
  find({ name }: Staging): { readonly id: number; readonly count: number; readonly size: number } {
    const row = this.#find.get(name);
    if (row === undefined) throw new Overtaken('Another window took what was read of it for left behind.');
    return { id: integer(row['id'], 'id'), count: integer(row['count'], 'count'), size: integer(row['size'], 'size') };
  }

  add({ name }: Staging, { count, size }: { readonly count: number; readonly size: number }): void {
    this.#add.run(count, size, Date.now(), name);
  }

  giveUp({ name }: Staging): void {
    this.#giveUp.run(name);
  }

  get all(): ReadonlySet<number> {
    return new Set(this.#all.all().map(rowIdOf));
  }

  /** Deletes leftovers, one step at a time. Returns whether there is more. */
  sweep(pace: TimeSlice): boolean {
    for (;;) {
      const stale = this.#stale.get(Date.now());
      if (stale === undefined) return false;
      // An import that is still active notices this before it reads missing rows.
      this.#giveUp.run(String(stale['name']));
      if (this.#removePage(rowIdOf(stale))) this.#remove.run(rowIdOf(stale));
      if (pace.isOver) return true;
    }
  }

  /** Returns whether this was the last page. */
  #removePage(id: number): boolean {
    this.#removeSnapshots.run(id);
    return integer(this.#removeNodes.run(id).changes, 'changes') < PAGE;
  }
}
